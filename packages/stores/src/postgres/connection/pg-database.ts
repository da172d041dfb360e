import { Socket } from 'node:net'
import { checkValues, InvalidArgumentError } from '@holdfast/core/engine'
import type { Client as PgClient } from 'pg'
import { toError } from '../errors.js'
import type { Database } from './connection.js'
import { known } from './known-options.js'
import { openPg, ours, requirePg } from './pg-connection.js'

/** What `pg` takes for a connection, and the option that it was given as. */
export interface PgSource {
  readonly config: object
  readonly option: string
}

/**
 * A database that `pg` connects to.
 *
 * @param statements - for connections that send statements
 * @param messages - for the one that listens
 * @throws `InvalidArgumentError` for what `pg` cannot use
 */
export function pgDatabase(statements: PgSource, messages: PgSource): Database {
  const { host, port, database = '' } = asRead(statements)
  asRead(messages)
  return {
    name: `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${port}/${database}`,
    open: (purpose, connectionTimeoutMillis) =>
      openPg(purpose === 'messages' ? messages.config : statements.config, {
        connectionTimeoutMillis,
        pipeline: purpose === 'statements',
      }),
  }
}

/** What `pg` makes of the options, of the query of a URL in them, and of the environment. */
function asRead({ config, option }: PgSource): PgClient {
  const { Client } = requirePg()
  let client
  try {
    client = new Client({ ...config, ...ours, stream: () => new Socket() })
  } catch (thrown) {
    throw new InvalidArgumentError(`${option} cannot be used by pg: ${toError(thrown).message}`, {
      cause: thrown,
    })
  }
  checkValues(client, { port: known.port }, (name) => `the ${name} of ${option}`)
  return client
}
