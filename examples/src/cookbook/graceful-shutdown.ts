import type { Holdfast } from '@holdfast/core'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Call it once, at start-up. */
export function closeOnSignals(holdfast: Holdfast, server: Server, drainMs = 2_000): void {
  const shutDown = async (): Promise<void> => {
    // No new connections. Requests in progress continue.
    const lastResponse = once(server.close(), 'close')
    // Waiters that hold nothing reject at once. Callbacks of withLock and lease.run get drainMs to finish, and may acquire further locks; then
    // their signals abort and their locks are released.
    await holdfast.close({ drainMs })
    // A handler that has just released its lock still has to send its response.
    await Promise.race([lastResponse, sleep(1_000)])
    // Close database pools here. Then exit: code that ignored its signal must not go on without its lock.
    process.exit()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void shutDown())
}
