import { uniqueName } from '../unique-name.js'
import { openPostgres } from './open-postgres.js'
import { queryAt, type QueryRow } from './query-at.js'
import { Statements } from './statements.js'

/** An empty database for one test file. */
export interface TestDatabase {
  readonly url: string
  /** Runs SQL on a connection that only such statements have, and resolves with the rows of the last. */
  query(sql: string, values?: readonly unknown[]): Promise<QueryRow[]>
  /** Removes it, and stops the server if we started it. */
  stop(): Promise<void>
}

/**
 * Creates a database on the server that `openPostgres` finds: at PG_URL its user needs `CREATEDB`. What belongs to the whole
 * server, such as roles and settings, is not for tests on it; and it is not to be crashed.
 */
export async function openDatabase(): Promise<TestDatabase> {
  const server = await openPostgres()
  const name = uniqueName('holdfast').toLowerCase()
  const database = new URL(server.url)
  database.pathname = name
  const { href: url } = database
  try {
    await queryAt(server.url, `create database "${name}"`)
  } catch (error) {
    await server.stop()
    throw error
  }
  const statements = new Statements(url)
  return {
    url,
    query: (sql, values) => statements.run(sql, values),
    async stop() {
      statements.disconnect()
      await queryAt(server.url, `drop database if exists "${name}" with (force)`)
      await server.stop()
    },
  }
}
