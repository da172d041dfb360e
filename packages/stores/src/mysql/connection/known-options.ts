import { valueChecks, type OptionCheck } from '@holdfast/core/engine'
import type { PoolOptions } from 'mysql2'

const { aKind, address, amount, any, fn, map, port, text, trueOrFalse } = valueChecks

const ssl = aKind(
  "an object with options of tls.connect, such as {}, or 'Amazon RDS'",
  (value) => typeof value === 'object' || value === 'Amazon RDS',
)

/**
 * Every option of `mysql2` for a connection. It would ignore any other, print that, and connect to this machine. Those of a pool
 * mean nothing here, and we have our own for values. The most common come first, since the first of several near names is
 * suggested.
 */
export const known = {
  host: address,
  port,
  user: address,
  password: text,
  database: address,
  ssl,
  socketPath: address,
  // Checked as a URL.
  uri: any,
  charset: text,
  connectTimeout: amount,
  timezone: aKind(
    "'local', 'Z' or an offset such as '+01:00'",
    (value) => typeof value === 'string' && /^(?:local|Z|[ +-]\d\d:\d\d)$/.test(value),
  ),
  compress: trueOrFalse,
  password1: text,
  password2: text,
  password3: text,
  passwordSha1: any,
  localAddress: text,
  charsetNumber: amount,
  flags: any,
  stream: fn,
  enableKeepAlive: trueOrFalse,
  keepAliveInitialDelay: amount,
  connectAttributes: map,
  authPlugins: map,
  authSwitchHandler: fn,
  insecureAuth: trueOrFalse,
  enableCleartextPlugin: trueOrFalse,
  disableEval: trueOrFalse,
  debug: any,
  trace: any,
  // We have our own.
  multipleStatements: any,
  namedPlaceholders: any,
  queryFormat: any,
  nestTables: any,
  rowsAsArray: any,
  typeCast: any,
  dateStrings: any,
  stringifyObjects: any,
  supportBigNumbers: any,
  bigNumberStrings: any,
  decimalNumbers: any,
  jsonStrings: any,
  infileStreamFactory: any,
  isServer: any,
  maxPreparedStatements: any,
  gracefulEnd: any,
  Promise: any,
  pool: any,
  connectionLimit: any,
  maxIdle: any,
  idleTimeout: any,
  queueLimit: any,
  waitForConnections: any,
  resetOnRelease: any,
} satisfies Record<keyof PoolOptions | 'decimalNumbers' | 'resetOnRelease', OptionCheck>
