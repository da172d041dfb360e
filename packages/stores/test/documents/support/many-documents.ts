import type { EngineSession, ListPage } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf } from './open-client.js'
import { requestOf } from './request-of.js'

const numbers = Array.from({ length: 500 }, (_, n) => n)
const mostSteps = 10

/** What is wrong with a listing of exactly two pages, and of more, by this engine. */
export async function problemsOfListing(make: typeof documentEngine): Promise<string[]> {
  const table = new DocumentTable()
  const { steps, names } = documentEngine(table).open(hostOf('a'))
  for (const n of numbers) {
    await steps.acquire(names.locate(`x${n}`, 'lock'), requestOf('a:1'), 1_000)
  }
  const session = make(table).open(hostOf('b'))
  const problems = [expected('locks', numbers.length, await lockCountOf(session))]
  for (const n of numbers) {
    table.put(`client:${n}`, JSON.stringify({ ...hostOf(`${n}`).client, untilUs: 1e18 }))
  }
  problems.push(
    expected('locks beside clients', numbers.length, await lockCountOf(session)),
    expected('clients', numbers.length, new Set(await clientIdsOf(session)).size),
  )
  return problems.flat()
}

const expected = (what: string, count: number, found: number): string[] =>
  count === found ? [] : [`${found} ${what} of ${count}`]

async function lockCountOf({ operator }: EngineSession): Promise<number> {
  let cursor: string | null = null
  const found = new Set<string>()
  for (let taken = 0; taken < mostSteps; taken += 1) {
    const page: ListPage | undefined = await operator?.list(cursor, { pattern: '*', contended: false })
    for (const { address } of page?.found ?? []) found.add(address.id)
    cursor = page?.next ?? null
    if (cursor === null) return found.size
  }
  return -1
}

const clientIdsOf = async ({ operator }: EngineSession): Promise<string[]> =>
  ((await operator?.clients()) ?? []).map(({ clientId }) => clientId)
