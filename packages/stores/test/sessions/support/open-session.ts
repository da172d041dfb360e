import { memoryQueueEngine, type MemoryQueues } from '@holdfast/sim/stores'
import type { EngineHost, EngineSession, GrantNotice } from '@holdfast/core/engine'
import type { InProcessLink } from '@holdfast/conformance'

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
  const ignore = (): void => undefined
  const host: EngineHost = {
    clientId,
    client: { host: 'localhost', pid: process.pid, label: clientId, startedAt: new Date() },
    watchdogTimeoutMs: 30_000,
    renewEveryMs: 10_000,
    commandTimeoutMs: 2_000,
    now: () => performance.now(),
    granted: (_, owner, notice) => granted.push({ ...notice, owner }),
    broken: () => (broken += 1),
    revoked: ignore,
    wake: ignore,
    opened: ignore,
    onMessage: ignore,
    missed: ignore,
    unsubscribed: ignore,
    reconnected: ignore,
    warn: ignore,
    error: ignore,
  }
  const session = memoryQueueEngine(queues, () => link).open(host)
  await session.prepare(session.names.locate('any', 'lock'))
  return { session, granted, broken: () => broken }
}
