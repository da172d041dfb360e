import { Socket } from 'node:net'
import { Client } from 'pg'
import type { Database } from './connection.js'
import { openPg } from './pg-connection.js'

/**
 * A database that `pg` connects to.
 *
 * @param config - what `pg` takes for connections that send statements
 * @param listenConfig - the same for the connection that listens
 */
export const pgDatabase = (config: object, listenConfig: object): Database => ({
  get name() {
    return nameOf(config)
  },
  open: (purpose, connectionTimeoutMillis) =>
    openPg(purpose === 'messages' ? listenConfig : config, {
      connectionTimeoutMillis,
      pipeline: purpose === 'statements',
    }),
})

function nameOf(config: object): string {
  const { host, port, database = '' } = new Client({ ...config, stream: () => new Socket() })
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${port}/${database}`
}
