import type { Client } from 'pg'
import type { Step } from '../../../src/postgres/step.js'

/** Calls the function of a step. The connection leaves values as text: see `asText`. */
export async function call<T>(client: Client, step: Step<T>): Promise<T> {
  const { text, values } = step
  const { rows } = await client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' })
  return step.read(rows)
}

/** For connections whose rows are read by steps. */
export const asText = { getTypeParser: () => (value: string) => value }
