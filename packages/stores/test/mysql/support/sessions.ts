import type { DocumentHost } from '@holdfast/stores/documents'
import { resolveOptions, type MysqlOptions } from '../../../src/mysql/options.js'
import { MysqlSession } from '../../../src/mysql/session.js'

/** A session as a client opens it, and what it told that client. */
export interface OpenedSession extends AsyncDisposable {
  readonly session: MysqlSession
  readonly told: ('broken' | 'reconnected')[]
  readonly errors: Error[]
}

export function openSession(options: MysqlOptions, more: Partial<DocumentHost> = {}): OpenedSession {
  const told: OpenedSession['told'] = []
  const errors: Error[] = []
  const host: DocumentHost = {
    clientId: 'test',
    commandTimeoutMs: 5_000,
    renewEveryMs: 10_000,
    watchdogTimeoutMs: 30_000,
    now: () => performance.now(),
    broken: () => told.push('broken'),
    reconnected: () => told.push('reconnected'),
    error: (error) => errors.push(error as Error),
    warn: () => undefined,
    ...more,
  }
  const session = new MysqlSession(resolveOptions(options), host)
  return { session, told, errors, [Symbol.asyncDispose]: () => session.close() }
}

/** How long a test gives a step. */
export const inTime = 5_000
/** How long a test has documents kept. */
export const keepMs = 60_000
