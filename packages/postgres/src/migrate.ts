import { RefusedError } from '@holdfast/core/engine'
import { openClient } from './connection/open-client.js'
import { engineName, sqlStateOf } from './errors.js'
import { schemaSql } from './sql/migrations.js'
import type { PostgresSettings } from './options.js'

/** Creates the schema or brings it up to date, on a connection of its own; with `migrate: 'check'` refuses to. */
export async function migrate(
  { config, schema, tables, migrate: mode }: PostgresSettings,
  connectionTimeoutMillis: number,
): Promise<void> {
  if (mode === 'check') {
    throw refused(
      `schema ${schema} is missing or out of date, and the option migrate is 'check': run the SQL of migrationSql()`,
    )
  }
  const open = openClient(config, { connectionTimeoutMillis })
  try {
    await open.client.connect()
    await open.client.query(schemaSql(schema, tables))
  } catch (error) {
    if (sqlStateOf(error) !== '42501') throw error
    throw refused(
      `the role may not create schema ${schema}: run the SQL of migrationSql() as a role that may`,
      error,
    )
  } finally {
    await open.destroy()
  }
}

const refused = (message: string, cause?: unknown): RefusedError =>
  new RefusedError(message, { engine: engineName, cause })
