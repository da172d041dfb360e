import type { WaitingState } from '../documents/steps/index.js'
import type { Backend } from './backend.js'
import type { MemorySession } from './session.js'

/**
 * Has clients check their holds and waits after the clock was moved or a hold was ended by hand. When time passes by itself,
 * their own timers do that. Holders come first, so that they learn of their loss before a rival gets in.
 */
export function reportWhatEnded(backend: Backend): void {
  const nowUs = backend.clock.nowUs()
  const holders = new Set<MemorySession | undefined>()
  const waiters: { readonly id: string; readonly session: MemorySession | undefined }[] = []
  const waiting = (id: string, { queue }: WaitingState): void => {
    const sessions = new Set([...queue.keys()].map((owner) => backend.sessionOf(owner)))
    for (const session of sessions) waiters.push({ id, session })
  }
  for (const [id, state] of backend.locks.entries()) {
    const { hold } = state
    if (hold && hold.untilUs <= nowUs) holders.add(backend.sessionOf(hold.owner))
    waiting(id, state)
  }
  for (const [id, state] of backend.shared.entries()) {
    for (const [owner, { untilUs }] of state.holds) {
      if (untilUs <= nowUs) holders.add(backend.sessionOf(owner))
    }
    waiting(id, state)
  }
  for (const [id, { waiters: clients }] of backend.latches.entries()) {
    for (const clientId of clients.keys()) waiters.push({ id, session: backend.sessions.get(clientId) })
  }
  for (const session of holders) session?.inbox.notify((host) => host.reconnected())
  if (holders.size > 0) {
    for (const session of backend.sessions.values()) if (!holders.has(session)) session.inbox.delay()
  }
  for (const { id, session } of waiters) session?.inbox.notify((host) => host.missed(id))
}
