import { quietHost } from '@holdfast/conformance'
import type { EngineSession, OperatorSession } from '../../src/engine/session.js'
import { redisEngine, type RedisOptions } from '../../src/redis/engine.js'
import { closeAfterTest } from './clients.js'

/** A session without a client around it, and what it got. */
export interface OpenedSession {
  readonly clientId: string
  readonly session: EngineSession
  readonly operator: OperatorSession
  readonly texts: string[]
  /** Grants and evictions, in their order. */
  readonly reports: string[]
  /** Codes of warnings, and errors. */
  readonly problems: string[]
}

/** Opens a session on Redis, until the test ends. */
export function openSession(
  clientId: string,
  options: RedisOptions,
  commandTimeoutMs = 5_000,
): OpenedSession {
  const texts: string[] = []
  const reports: string[] = []
  const problems: string[] = []
  const host = quietHost(clientId, {
    commandTimeoutMs,
    granted: (id, owner, { leaseMs }) => void reports.push(`granted ${id} ${owner} ${leaseMs}`),
    revoked: (owner) => void reports.push(`revoked ${owner}`),
    onMessage: (text) => void texts.push(text),
    warn: (code) => void problems.push(code),
    error: (error) => void problems.push(String(error)),
  })
  const session = redisEngine(options).open(host)
  closeAfterTest(() => session.close())
  const { operator } = session
  if (!operator) throw new Error('this session has no operator steps')
  return { clientId, session, operator, texts, reports, problems }
}

/** The same, registered and subscribed. */
export async function openListening(clientId: string, options: RedisOptions): Promise<OpenedSession> {
  const opened = openSession(clientId, options)
  const address = opened.session.names.locate('any', 'lock')
  await opened.session.prepare(address)
  await opened.session.inbox.subscribe(address)
  return opened
}
