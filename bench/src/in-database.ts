import { Client } from 'pg'

/** Runs a query that returns a row of numbers, on a connection of its own. */
export async function inDatabase(url: string, text: string): Promise<Record<string, number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, number>>(text)
    return rows[0] ?? {}
  } finally {
    await client.end()
  }
}
