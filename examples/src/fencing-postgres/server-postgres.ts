import { userInfo } from 'node:os'
import { Pool, type PoolConfig } from 'pg'
import type { Store } from './store.js'

const connectionTimeoutMillis = 2_000

/** The server at DATABASE_URL; `null` if it is not set. If it is set and the server is unreachable, that is an error. */
export async function postgresFromEnvironment(): Promise<Store | null> {
  const connectionString = process.env['DATABASE_URL']
  if (!connectionString) return null
  const store = connect('DATABASE_URL', { connectionString })
  try {
    await store.query('SELECT 1')
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The server on this machine, or at PGHOST, if it replies and lets us create a schema; otherwise `null`. */
export async function installedPostgres(): Promise<Store | null> {
  const host = process.env['PGHOST'] || '127.0.0.1'
  const store = connect(`the server on ${host}`, { host, user: process.env['PGUSER'] || userInfo().username })
  try {
    const mayCreate = "has_database_privilege(current_database(), 'CREATE')"
    const [answer] = await store.query(`SELECT ${mayCreate} AS allowed`)
    if (answer?.['allowed'] === true) return store
  } catch {
    // This server was not requested, so it may be missing or refuse us.
  }
  await store.close()
  return null
}

function connect(origin: string, config: PoolConfig): Store {
  const pool = new Pool({ ...config, connectionTimeoutMillis })
  // A failure of an idle connection also rejects the next statement that needs one.
  pool.on('error', () => undefined)
  return {
    origin,
    async query(text, params = []) {
      return (await pool.query<Record<string, unknown>>(text, [...params])).rows
    },
    close: () => pool.end(),
  }
}
