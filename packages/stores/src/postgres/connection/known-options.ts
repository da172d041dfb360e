import { valueChecks, type OptionCheck } from '@holdfast/core/engine'
import type { PoolConfig } from 'pg'

const { aKind, address, amount, any, fn, oneOf, port, text, trueOrFalse } = valueChecks
const password = aKind(
  'a string or a function',
  (value) => typeof value === 'string' || typeof value === 'function',
)
const ssl = aKind(
  'true, false or an object with options of tls.connect',
  (value) =>
    typeof value === 'object' || typeof value === 'boolean' || value === 'true' || value === 'no-verify',
)
const timeout: OptionCheck = {
  must: 'a number of at least 0 or false',
  accepts: (value) => value === false || amount.accepts(value),
}

/**
 * Every option of `pg` for a connection. It would ignore any other and connect to this machine; and a wrong value makes it throw
 * where nobody can catch it. Those of a pool mean nothing here. The most common come first, since the first of several near names
 * is suggested.
 */
export const known = {
  host: address,
  port,
  user: address,
  password,
  database: address,
  ssl,
  // Checked as a URL.
  connectionString: any,
  application_name: text,
  options: text,
  stream: fn,
  keepAlive: trueOrFalse,
  keepAliveInitialDelayMillis: amount,
  connectionTimeoutMillis: amount,
  statement_timeout: timeout,
  query_timeout: timeout,
  lock_timeout: timeout,
  idle_in_transaction_session_timeout: timeout,
  sslnegotiation: oneOf('postgres', 'direct'),
  enableChannelBinding: trueOrFalse,
  scramMaxIterations: amount,
  fallback_application_name: text,
  client_encoding: text,
  // We have our own.
  types: any,
  binary: any,
  pipeline: any,
  Promise: any,
  max: any,
  min: any,
  poolSize: any,
  idleTimeoutMillis: any,
  maxUses: any,
  maxLifetimeSeconds: any,
  allowExitOnIdle: any,
  Client: any,
  log: any,
  verify: any,
  onConnect: any,
} satisfies Record<keyof PoolConfig | 'binary' | 'poolSize' | 'scramMaxIterations', OptionCheck>
