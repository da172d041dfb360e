import { RefusedError, UnavailableError } from '@holdfast/core/engine'
import type { Query } from './connection/connection.js'
import { engineName, sqlStateOf } from './errors.js'
import { quoted } from './sql/quoted.js'
import type { PostgresSettings } from './options.js'
import { shortfallOf, standbysSql } from './standbys.js'

/** The oldest supported server. */
const leastVersion = 130_000

const noSuchSchema = '3F000'
/** States that say that the functions are not there: no such schema, function, or table. */
const missing = new Set([noSuchSchema, '42883', '42P01'])

/**
 * Refuses a database that cannot keep locks.
 *
 * @param wasUsable - whether it could before: a primary that became a standby may become the primary again
 * @returns which data it has; it differs once that was lost
 */
export async function checkDatabase(
  query: Query,
  { schema, tables, minReplicas }: Pick<PostgresSettings, 'schema' | 'tables' | 'minReplicas'>,
  wasUsable: boolean,
  migrate: (from: 'nothing' | 'older') => Promise<void>,
): Promise<string> {
  const [[version, isStandby, isolation, readOnly] = []] = await query(
    `select current_setting('server_version_num'), pg_is_in_recovery(), current_setting('transaction_isolation'),
      current_setting('transaction_read_only')`,
  )
  if (Number(version) < leastVersion) {
    throw refused(
      `Holdfast needs PostgreSQL 13 or later, the server is ${Math.floor(Number(version) / 10_000)}`,
    )
  }
  if (isStandby === 't' || readOnly === 'on') {
    const what = isStandby === 't' ? 'the server is a standby' : 'default_transaction_read_only is on'
    const message = `${what}: locks need to be written; connect to the primary`
    throw refusedUnless(wasUsable, message)
  }
  if (isolation !== 'read committed') {
    throw refused(
      `default_transaction_isolation is ${isolation ?? ''}: steps would not see each other. ` +
        "Run `alter role … set default_transaction_isolation = 'read committed'` for the role of Holdfast",
    )
  }
  if (minReplicas > 0) {
    const [row = []] = await query(standbysSql)
    const shortfall = shortfallOf(row, minReplicas)
    // After a failover the new primary gets its own standbys, sooner or later.
    if (shortfall) throw refusedUnless(wasUsable || !shortfall.isBySettings, shortfall.message)
  }
  const hello = `select * from ${quoted(schema)}.hello()`
  let rows
  try {
    rows = await query(hello)
  } catch (error) {
    const state = sqlStateOf(error) ?? ''
    if (!missing.has(state)) throw explained(error, schema)
    await migrate(state === noSuchSchema ? 'nothing' : 'older')
    rows = await query(hello)
  }
  const [[store, persistence] = []] = rows
  if (persistence !== tables) {
    throw refused(
      `the tables in schema ${schema} are ${persistence ?? 'not known'}, and the option tables is ${tables}: ` +
        'give the option that fits them, or another schema',
    )
  }
  return store ?? ''
}

function explained(error: unknown, schema: string): unknown {
  if (sqlStateOf(error) !== '42501') return error
  return refused(noRights(schema), error)
}

/** What the role of a connection lacks that may not use the functions. */
export const noRights = (schema: string): string =>
  `the role has no rights in schema ${schema}: it needs USAGE on the schema and EXECUTE on its functions, ` +
  'see migrationSql({ role }): its SQL has to be run again after an update'

/** @param mayChange - whether trying again makes sense */
const refusedUnless = (mayChange: boolean, message: string): Error =>
  mayChange ? new UnavailableError(message, { engine: engineName }) : refused(message)

const refused = (message: string, cause?: unknown): RefusedError =>
  new RefusedError(message, { engine: engineName, cause })
