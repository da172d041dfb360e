import { UnavailableError } from '@holdfast/core/engine'
import type { Query } from './connection/mysql-connection.js'
import { engineName, errorNumbers, numberOf, refused, toError } from './errors.js'
import type { MysqlSettings } from './options.js'
import { addStore, migrate } from './migrate.js'
import type { Sql } from './sql.js'

/** Settings of a server, by their names. */
type ServerSettings = ReadonlyMap<string, string>

/** The format of the table that this version writes. */
const format = '1'

const { noSuchTable, noRightsOnTable, noRightsOnColumn } = errorNumbers

/** Those that exist: MySQL and MariaDB have some that the other has not. */
async function readSettings(query: Query, names: readonly string[]): Promise<ServerSettings> {
  const list = names.map((name) => `'${name}'`).join(', ')
  const { rows } = await query(`show global variables where variable_name in (${list})`)
  return new Map(rows.map(([name, value]) => [String(name).toLowerCase(), String(value)]))
}

/** What a version is called, and why it is refused if it is too old. */
export function judgeVersion(version: string): { readonly name: string; readonly isOld: boolean } {
  const isMariaDb = /mariadb/i.test(version)
  const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)/.exec(version) ?? []).map(Number)
  const isOld = isMariaDb ? major < 10 || (major === 10 && minor < 6) : major < 8
  return { name: `${isMariaDb ? 'MariaDB' : 'MySQL'} ${major}.${minor}`, isOld }
}

/** Which settings say that the server takes no writes. A user with all rights could write to a replica, and break it. */
const readOnlySettings = ['read_only', 'super_read_only', 'innodb_read_only'] as const

const isOn = (settings: ServerSettings, name: string): boolean =>
  !['', '0', 'OFF', 'NO_LOCK'].includes((settings.get(name) ?? '').toUpperCase())

/**
 * Prepares a connection: what an application's defaults could change for all its connections is set. In a session of ours a
 * statement does not wait for longer than its step takes, nor for rows that others have locked.
 */
const prepareSql = (limitMs: number): string => {
  const s = Math.max(1, Math.ceil(limitMs / 1_000))
  // 24 days is the most that every system takes.
  return `set session autocommit = 1, sql_mode = 'STRICT_ALL_TABLES', wait_timeout = 2147483, lock_wait_timeout = ${s}, innodb_lock_wait_timeout = ${s}`
}

export interface CheckOptions {
  readonly settings: MysqlSettings
  readonly sql: Sql
  /** How long a step may take, milliseconds. */
  readonly limitMs: number
  /** Whether the server could be used before: one that became a replica may become the primary again. */
  readonly wasUsable: boolean
}

/** Prepares a new connection, and refuses a database that cannot keep locks. Creates the table if it is missing. */
export async function checkDatabase(query: Query, options: CheckOptions): Promise<void> {
  const { settings, sql, limitMs, wasUsable } = options
  await query(prepareSql(limitMs))
  const found = await readSettings(query, ['version', 'wsrep_on', ...readOnlySettings])
  const { name, isOld } = judgeVersion(found.get('version') ?? '')
  if (isOld) throw refused(`Holdfast needs MySQL 8.0 or MariaDB 10.6 or later, the server is ${name}`)
  const readOnly = readOnlySettings.filter((each) => isOn(found, each))
  if (readOnly.length > 0) {
    const message = `the server is read-only (${readOnly.join(', ')}): locks need to be written; connect to the primary`
    throw wasUsable ? new UnavailableError(message, { engine: engineName }) : refused(message)
  }
  // A node may lag behind: reads wait until it has what was committed on any other.
  if (isOn(found, 'wsrep_on')) await query('set session wsrep_sync_wait = 1')
  try {
    const { rows } = await query(sql.store)
    if (rows.length === 0) await addStore(query, sql)
    else checkFormat(String(rows[0]?.[1]), settings)
  } catch (error) {
    if (numberOf(error) !== noSuchTable) throw explained(error, settings)
    await migrate(query, settings, sql)
  }
}

/** A later version may keep its documents in another way. */
function checkFormat(found: string, { table }: MysqlSettings): void {
  if (found === format) return
  throw refused(
    `table ${table} has format ${found}, and this version of @holdfast/stores knows ${format}: update it, or name another table`,
  )
}

/** Names the rights that are missing. */
export function explained(error: unknown, { database, table }: MysqlSettings): unknown {
  if (![noRightsOnTable, noRightsOnColumn].includes(Number(numberOf(error)) as never)) return error
  return refused(
    `${toError(error).message}: the user needs SELECT, INSERT, UPDATE and DELETE on ${database}.${table}`,
    error,
  )
}
