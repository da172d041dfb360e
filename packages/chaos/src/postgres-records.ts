import type { PostgresServer } from '@holdfast/testkit'
import { postgresOf, type FaultContext } from './faults/fault-context.js'
import type { Records } from './records.js'

/** What PostgreSQL has of the locks, by the rows of its tables. */
export function recordsInPostgres(context: FaultContext): Records {
  const read = (n: number) => readRows(postgresOf(context).primary(), context.locks[n] ?? '')
  return {
    async counts(n) {
      const { owner, count } = await read(n)
      return owner === null ? {} : { [owner]: count }
    },
    contradictions: async (n) => contradictionsIn(await read(n)),
    async leftovers(n) {
      const rows = await read(n)
      return [
        ...(rows.owner === null ? [] : [{ owner: rows.owner, what: `hold of ${rows.owner}` }]),
        ...rows.waiters.map((owner) => ({ owner, what: `queue entry of ${owner}` })),
        ...contradictionsIn(rows).map((what) => ({ owner: null, what })),
        ...(rows.stays ? [{ owner: null, what: 'a row that no sweep deletes for minutes' }] : []),
      ]
    },
  }
}

/** What there is of one lock; what has passed its time is left to the next step. */
interface Rows {
  readonly owner: string | null
  readonly count: number
  /** How many queue entries there are, as the lock's own row has it. */
  readonly waiting: number
  readonly entries: number
  /** The owners of those that have not passed their time. */
  readonly waiters: readonly string[]
  /** Whether a row stays for longer than the leases of a schedule explain. */
  readonly stays: boolean
}

const noRows: Rows = { owner: null, count: 0, waiting: 0, entries: 0, waiters: [], stays: false }

/** In one statement, and so as of one instant. */
const select = `
  with now as (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us)
  select
    case when l.until_us > now.us then l.owner end as owner,
    l.hold_count::int as count,
    case when l.queue_until_us > now.us then l.waiting else 0 end as waiting,
    coalesce(p.entries, 0)::int as entries,
    coalesce(p.waiters, '{}') as waiters,
    greatest(l.until_us, l.fence_until_us, l.queue_until_us, t.until_us) > now.us + 130000000 as stays
  from now, holdfast.lock l
  left join lateral (
    select count(*) as entries, array_agg(owner) filter (where alive_until_us > now.us) as waiters
    from holdfast.place where name = l.name and l.queue_until_us > now.us
  ) p on true
  left join lateral (select max(until_us) as until_us from holdfast.tombstone where name = l.name) t on true
  where l.name = $1`

async function readRows(server: PostgresServer, name: string): Promise<Rows> {
  const [tables] = await server.query("select to_regclass('holdfast.lock') is not null as exist")
  if (tables?.['exist'] !== true) return noRows
  const [row] = await server.query(select, [name])
  if (!row) return noRows
  const { owner, count, waiting, entries, waiters, stays } = row
  return {
    owner: typeof owner === 'string' ? owner : null,
    count: Number(count),
    waiting: Number(waiting),
    entries: Number(entries),
    waiters: Array.isArray(waiters) ? waiters.map(String) : [],
    stays: stays === true,
  }
}

const contradictionsIn = ({ waiting, entries }: Rows): string[] =>
  waiting === entries ? [] : [`a count of ${waiting} queue entries, where there are ${entries}`]
