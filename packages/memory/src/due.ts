import type { Backend } from './backend.js'
import type { MemorySession } from './session.js'

/**
 * Has clients check their holds and waits after the clock was moved or a hold was ended by hand. When time passes by itself,
 * their own timers do that. Holders come first, so that they learn of their loss before a waiter gets in.
 */
export function reportWhatEnded(backend: Backend): void {
  const nowUs = backend.clock.nowUs()
  const holders = new Set<MemorySession | undefined>()
  const waiters: { readonly id: string; readonly session: MemorySession | undefined }[] = []
  for (const [id, { hold, queue }] of backend.locks.entries()) {
    if (hold && hold.untilUs <= nowUs) holders.add(backend.sessionOf(hold.owner))
    const waiting = new Set([...queue.keys()].map((owner) => backend.sessionOf(owner)))
    for (const session of waiting) waiters.push({ id, session })
  }
  for (const session of holders) session?.connection.notify((host) => host.reconnected())
  for (const { id, session } of waiters) session?.connection.notify((host) => host.missed(id))
}
