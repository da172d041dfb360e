import { applicationName } from './statements.js'
import type { PostgresServer } from './postgres-server.js'

/** Which connections: those whose last statement matches a pattern of SQL's `like`. */
export interface BackendsOptions {
  readonly lastStatement?: string
}

/** Ends connections from the server's side, as an administrator would, but for those of `query`; resolves with how many there were. */
export async function killBackends(
  server: PostgresServer,
  { lastStatement = '%' }: BackendsOptions = {},
): Promise<number> {
  const rows = await server.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and application_name <> $2 and query ilike $1`,
    [lastStatement, applicationName],
  )
  return rows.length
}
