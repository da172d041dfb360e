import { faultUntil, type Fault } from '../faults/server/fault.js'
import type { PostgresServer } from './postgres-server.js'

/** A transaction of another session that has read something and stays open: row versions after it cannot be removed. */
export async function holdSnapshot(server: PostgresServer): Promise<Fault> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: server.url, connectionTimeoutMillis: 5_000 })
  // The server may end it.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin isolation level repeatable read; select count(*) from pg_class')
  return faultUntil(() => client.end())
}
