import type { EngineHost, GrantNotice } from '../../src/engine/session.js'
import { passOn } from '../../src/redis/session.js'

/** What a message has a client do. */
export type Heard =
  | readonly ['granted', id: string, owner: string, notice: GrantNotice]
  | readonly ['revoked', owner: string]
  | readonly ['wake', id: string, owner: string | undefined]
  | readonly ['opened', id: string, generation: number]
  | readonly ['missed', id: string | undefined]
  | readonly ['onMessage', text: string]

/** Passes a message on to a client that only notes it. */
export function heard(message: string): Heard[] {
  const all: Heard[] = []
  const nothing = (): void => undefined
  const host: EngineHost = {
    clientId: 'c1',
    client: { host: 'here', pid: 1, label: '', startedAt: new Date(0) },
    watchdogTimeoutMs: 30_000,
    renewEveryMs: 10_000,
    commandTimeoutMs: 5_000,
    now: () => 0,
    granted: (...given) => all.push(['granted', ...given]),
    revoked: (owner) => all.push(['revoked', owner]),
    wake: (id, owner) => all.push(['wake', id, owner]),
    opened: (...given) => all.push(['opened', ...given]),
    missed: (id) => all.push(['missed', id]),
    onMessage: (text) => all.push(['onMessage', text]),
    unsubscribed: nothing,
    broken: nothing,
    reconnected: nothing,
    warn: nothing,
    error: nothing,
  }
  passOn(message, host)
  return all
}
