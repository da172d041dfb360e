import { postgresOf, type FaultContext } from './faults/fault-context.js'
import { rowsOf } from './postgres-rows.js'
import type { Records } from './records.js'

/** What PostgreSQL has of the locks, by the rows of its tables. */
export function recordsInPostgres(context: FaultContext): Records {
  const read = (n: number) => readRows(context, context.locks[n] ?? '')
  return {
    counts: async (n) => (await read(n)).counts,
    contradictions: async (n) => (await read(n)).contradictions,
    async leftovers(n) {
      const { counts, waiters, contradictions, stays } = await read(n)
      return [
        ...Object.keys(counts).map((owner) => ({ owner, what: `hold of ${owner}` })),
        ...waiters.map((owner) => ({ owner, what: `queue entry of ${owner}` })),
        ...contradictions.map((what) => ({ owner: null, what })),
        ...(stays ? [{ owner: null, what: 'a row that no sweep deletes for minutes' }] : []),
      ]
    },
  }
}

/** What there is of one object. */
interface Rows {
  readonly counts: Readonly<Record<string, number>>
  readonly waiters: readonly string[]
  readonly contradictions: string[]
  readonly stays: boolean
}

const noRows: Rows = { counts: {}, waiters: [], contradictions: [], stays: false }

async function readRows(context: FaultContext, name: string): Promise<Rows> {
  const server = postgresOf(context).primary()
  const { prefix, select } = rowsOf(context.object)
  const [tables] = await server.query("select to_regclass('holdfast.lock') is not null as exist")
  if (tables?.['exist'] !== true) return noRows
  const [row] = await server.query(select, [prefix + name])
  if (!row) return noRows
  const { counts, waiters, contradictions, stays } = row
  return {
    counts: Object.fromEntries(Object.entries(counts ?? {}).map(([owner, count]) => [owner, Number(count)])),
    waiters: textsIn(waiters),
    contradictions: textsIn(contradictions),
    stays: stays === true,
  }
}

const textsIn = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((text) => text !== null).map(String) : []
