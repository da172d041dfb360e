import type { Query } from './connection/mysql-connection.js'
import { checkDatabase } from './database-check.js'
import { resolveOptions } from './options.js'
import { sqlOf } from './sql.js'

const sql = sqlOf('`holdfast`')
const settings = resolveOptions({ url: 'mysql://localhost/app' })

/** A server whose table is empty until the statement that names the data fails. */
const failing = (errno: number, sqlState: string): Query => {
  const rowsOf = (text: string): string[][] => (text.startsWith('show') ? [['version', '8.0.36']] : [])
  return (text) =>
    text === sql.addStore
      ? Promise.reject(Object.assign(new Error('someone else was faster'), { errno, sqlState }))
      : Promise.resolve({ rows: rowsOf(text), affected: 0 })
}

it.each([
  ['READ COMMITTED', 1062, '23000'],
  ['REPEATABLE READ', 1213, '40001'],
])('clients that come first at the same time are not refused at %s', async (_, errno, sqlState) => {
  const query = failing(errno, sqlState)
  await expect(
    checkDatabase(query, { settings, sql, limitMs: 1_000, wasUsable: false }),
  ).resolves.toBeUndefined()
})
