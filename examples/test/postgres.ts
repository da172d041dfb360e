import { uniqueName } from '@holdfast/testkit'
import { userInfo } from 'node:os'
import { Client } from 'pg'

/** A private database for a test on the PostgreSQL of this machine. */
export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** The schemas created in it. */
  schemas(): Promise<string[]>
}

const host = '127.0.0.1'
const user = process.env['PGUSER'] || userInfo().username

/** `null` if no PostgreSQL replies, or it does not let us create a database. */
export async function createTestDatabase(): Promise<TestDatabase | null> {
  const name = uniqueName('fencing')
  try {
    await inDatabase('postgres', (client) => client.query(`CREATE DATABASE "${name}"`))
  } catch {
    return null
  }
  return {
    name,
    url: `postgres://${user}@${host}:${process.env['PGPORT'] || '5432'}/${name}`,
    schemas: () =>
      inDatabase(name, async (client) => {
        const made = "nspname NOT LIKE 'pg\\_%' AND nspname NOT IN ('public', 'information_schema')"
        const { rows } = await client.query<{ nspname: string }>(
          `SELECT nspname FROM pg_namespace WHERE ${made}`,
        )
        return rows.map(({ nspname }) => nspname)
      }),
    async [Symbol.asyncDispose]() {
      await inDatabase('postgres', (client) => client.query(`DROP DATABASE "${name}" WITH (FORCE)`))
    },
  }
}

async function inDatabase<T>(database: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host, user, database, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end()
  }
}
