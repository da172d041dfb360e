import type { Address, EngineHost, EngineSession, ObjectType } from '@holdfast/core/engine'
import { documentEngine, type DocumentEngineOptions, type DocumentStore } from '@holdfast/stores/documents'

/** A session without a client around it. */
export interface OpenClient {
  readonly session: EngineSession
  /** What it reported: `wake x a:1`, `reconnected`. */
  readonly log: string[]
  readonly locate: (name: string, object?: ObjectType) => Address
}

/** A client that writes down what a session reports to it. */
export function hostOf(clientId: string, log: string[] = []): EngineHost {
  const note =
    (what: string) =>
    (...details: unknown[]): void => {
      log.push([what, ...details].join(' '))
    }
  return {
    clientId,
    client: { host: 'here', pid: 1, label: clientId, startedAt: new Date(0) },
    watchdogTimeoutMs: 30_000,
    renewEveryMs: 10_000,
    commandTimeoutMs: 2_000,
    now: () => performance.now(),
    granted: note('granted'),
    revoked: note('revoked'),
    wake: note('wake'),
    opened: note('opened'),
    onMessage: note('message'),
    missed: note('missed'),
    unsubscribed: note('unsubscribed'),
    broken: note('broken'),
    reconnected: note('reconnected'),
    warn: note('warn'),
    error: note('error'),
  }
}

const opened = new Set<EngineSession>()

afterEach(async () => {
  await Promise.all([...opened].map((session) => session.close()))
  opened.clear()
})

/** Closed after the test. */
export async function openClient(
  store: DocumentStore,
  clientId: string,
  options?: DocumentEngineOptions,
): Promise<OpenClient> {
  const log: string[] = []
  const session = documentEngine(store, options).open(hostOf(clientId, log))
  opened.add(session)
  const locate = (name: string, object: ObjectType = 'lock') => session.names.locate(name, object)
  await session.prepare(locate('any'))
  return { session, log, locate }
}
