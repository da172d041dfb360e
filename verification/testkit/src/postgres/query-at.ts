import type { QueryResult } from 'pg'

/** A row, by the names of its columns. */
export type QueryRow = Readonly<Record<string, unknown>>

/** Runs SQL on a connection of its own, and resolves with the rows of the last statement. */
export async function queryAt(url: string, sql: string, values?: readonly unknown[]): Promise<QueryRow[]> {
  // Loaded on demand: a process that never gets here starts sooner.
  const { Client } = await import('pg')
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return rowsOf(await client.query<QueryRow>(sql, values && [...values]))
  } finally {
    await client.end()
  }
}

/** Of several statements, the result of each is in a list. */
export function rowsOf(result: QueryResult<QueryRow> | readonly QueryResult<QueryRow>[]): QueryRow[] {
  return ('rows' in result ? result : result.at(-1))?.rows ?? []
}
