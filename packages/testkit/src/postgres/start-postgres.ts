import { startLocalPostgres } from './local-postgres.js'
import type { PostgresServer, StartPostgresOptions } from './postgres-server.js'

/** Creates a database cluster and starts a server on it; resolves when it replies. Throws if there is no PostgreSQL. */
export const startPostgres = ({ settings = {} }: StartPostgresOptions = {}): Promise<PostgresServer> =>
  startLocalPostgres({ settings, env: {} }, (server) => server.init())
