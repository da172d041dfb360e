import { startLocalPostgres } from './local-postgres.js'
import type { PostgresServer, StartPostgresOptions } from './postgres-server.js'

/**
 * Creates a database cluster and starts a server on it; resolves when it replies.
 *
 * Uses the programs on PATH, else those of Debian's package if it is installed. Throws {@link NoPostgresError} if there are
 * none. Ignores PG_URL: tests must not crash that server.
 */
export const startPostgres = ({ settings = {} }: StartPostgresOptions = {}): Promise<PostgresServer> =>
  startLocalPostgres({ settings, env: {} }, (server) => server.init())
