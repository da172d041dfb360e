import { uniqueName, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'

/** A role that may do nothing but connect. */
export async function makeRole(server: PostgresServer, attributes = 'login'): Promise<string> {
  const role = uniqueName('role').replaceAll('-', '_')
  await server.query(`create role "${role}" ${attributes}`)
  return role
}

/** Runs SQL as a role. */
export async function queryAs(
  server: PostgresServer,
  role: string,
  sql: string,
  values?: unknown[],
): Promise<void> {
  const client = new Client({ connectionString: server.urlOf({ role }) })
  await client.connect()
  try {
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}

export const schemaName = (): string => `s_${uniqueName('schema').replaceAll('-', '_')}`.toLowerCase()
