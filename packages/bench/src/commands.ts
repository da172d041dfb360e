import { countCommands } from '@holdfast/testkit'
import type { Pace } from './tasks/cycles.js'

/** What ioredis sends when a connection opens. */
const handshake: ReadonlySet<string> = new Set(['hello', 'info', 'client'])
/** Idle connections of Redisson send PING from time to time, all of a process at once. */
export const handshakeAndPings: ReadonlySet<string> = new Set([...handshake, 'ping'])

/**
 * How many commands clients send per cycle while `run` runs; calls inside scripts do not count.
 * A server in MONITOR mode is slower, so do not time anything that runs here.
 */
export async function commandsPerCycle(
  url: string,
  run: () => Promise<Pace>,
  ignored: ReadonlySet<string> = handshake,
): Promise<number> {
  const { value, counts } = await countCommands(url, run)
  let sent = 0
  for (const [command, times] of counts) if (!ignored.has(command)) sent += times
  return sent / value.cycles
}
