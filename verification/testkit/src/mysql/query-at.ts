/** A row, by the names of its columns. */
export type MysqlRow = Readonly<Record<string, unknown>>

/** Runs one statement on a connection of its own, and resolves with its rows; of what returns none, there are none. */
export async function queryMysqlAt(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly MysqlRow[]> {
  // Loaded on demand: a process that never gets here starts sooner.
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: url, connectTimeout: 5_000 })
  try {
    const [rows] = await connection.query(sql, [...values])
    return Array.isArray(rows) ? (rows as MysqlRow[]) : []
  } finally {
    connection.destroy()
  }
}
