import { Client } from 'pg'

/** Runs a query that returns numbers, on a connection of its own. */
export async function inDatabase(url: string, text: string): Promise<Record<string, number>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, number>>(text)
    return rows
  } finally {
    await client.end()
  }
}
