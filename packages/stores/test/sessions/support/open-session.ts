import { memoryQueueEngine, type MemoryQueues } from '@holdfast/sim/stores'
import type { EngineSession, GrantNotice } from '@holdfast/core/engine'
import { quietHost, type InProcessLink } from '@holdfast/conformance'

/** A session of the engine without a client around it, and what it has reported. */
export interface OpenSession {
  readonly session: EngineSession
  readonly granted: (GrantNotice & { readonly owner: string })[]
  /** How often a connection broke or a session ended. */
  readonly broken: () => number
}

export async function openSession(
  queues: MemoryQueues,
  clientId: string,
  link: InProcessLink,
): Promise<OpenSession> {
  const granted: OpenSession['granted'] = []
  let broken = 0
  const host = quietHost(clientId, {
    commandTimeoutMs: 2_000,
    granted: (_, owner, notice) => void granted.push({ ...notice, owner }),
    broken: () => void (broken += 1),
  })
  const session = memoryQueueEngine(queues, () => link).open(host)
  await session.prepare(session.names.locate('any', 'lock'))
  return { session, granted, broken: () => broken }
}
