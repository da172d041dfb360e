import { RefusedError } from '@holdfast/core/engine'
import { engineName, sqlStateOf, toError } from './errors.js'
import { schemaSql } from './sql/migrations.js'
import { belongsToOthers } from './sql/ownership.js'
import type { PostgresSettings } from './options.js'

/** Creates the schema or brings it up to date, on a connection of its own; with `migrate: 'check'` refuses to. */
export async function migrate(
  { database, schema, tables, migrate: mode }: PostgresSettings,
  connectTimeoutMs: number,
): Promise<void> {
  if (mode === 'check') {
    throw refused(
      `schema ${schema} is missing or out of date, and the option migrate is 'check': run the SQL of migrationSql()`,
    )
  }
  const connection = database.open('migration', connectTimeoutMs)
  try {
    await connection.connect()
    await connection.runScript(schemaSql(schema, tables))
  } catch (error) {
    if (sqlStateOf(error) === belongsToOthers) throw refused(toError(error).message, error)
    if (sqlStateOf(error) !== '42501') throw error
    throw refused(
      `the role may not create schema ${schema}: run the SQL of migrationSql() as a role that may`,
      error,
    )
  } finally {
    await connection.destroy()
  }
}

const refused = (message: string, cause?: unknown): RefusedError =>
  new RefusedError(message, { engine: engineName, cause })
