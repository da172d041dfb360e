import { checkOptions } from '@holdfast/core/engine'
import type { Query } from './connection/mysql-connection.js'
import { errorNumbers, numberOf, refused, toError } from './errors.js'
import { checkTable, type MysqlOptions, type MysqlSettings } from './options.js'
import { quoted, sqlOf, type Sql } from './sql.js'

const { deadlock, duplicateKey, noRightsOnDatabase, noRightsOnTable } = errorNumbers

/**
 * Creates the table. Any number of clients may do so at the same time: each statement changes nothing when it is repeated, and there is no
 * lock around them, since MySQL commits with each, and `GET_LOCK` does not exist on all nodes of a Galera cluster.
 */
export async function migrate(query: Query, settings: MysqlSettings, sql: Sql): Promise<void> {
  const { database, table } = settings
  if (settings.migrate === 'check') {
    throw refused(
      `table ${table} does not exist in database ${database}, and this client may not create it (migrate: 'check'): ` +
        'name the table that the locks are in, or have it created, by a client that may, or by the SQL of migrationSql()',
    )
  }
  try {
    await query(sql.create)
    await addStore(query, sql)
  } catch (error) {
    if (numberOf(error) !== noRightsOnTable && numberOf(error) !== noRightsOnDatabase) throw error
    throw refused(
      `${toError(error).message}: the user may not create table ${table} in database ${database}; run the SQL of migrationSql() as one who may`,
      error,
    )
  }
}

/** Names the data, unless someone else just did. */
export async function addStore(query: Query, sql: Sql): Promise<void> {
  try {
    await query(sql.addStore)
  } catch (error) {
    // At READ COMMITTED a key that is there already, and at REPEATABLE READ a deadlock.
    if (numberOf(error) !== duplicateKey && numberOf(error) !== deadlock) throw error
  }
}

/** For which table the SQL is to be. */
export type MigrationSqlOptions = Pick<MysqlOptions, 'table'>

/**
 * The SQL that creates the table, for a user who may. Running it again changes nothing. Clients need `SELECT`, `INSERT`, `UPDATE` and
 * `DELETE` on the table, and transactions that they fence need `SELECT`, `INSERT` and `UPDATE`.
 *
 * @throws `InvalidArgumentError` for an invalid name
 */
export function migrationSql(options: MigrationSqlOptions = {}): string {
  checkOptions(options, new Set(['table']))
  const { table = 'holdfast' } = options
  checkTable(table)
  const { create, addStore: add } = sqlOf(quoted(table))
  return `${create};\n${add};\n`
}
