import type { ObjectName } from './objects.js'

/** How the tables of one kind of object are read. */
export interface KindOfRows {
  /** What the tables put before the names of such objects. */
  readonly prefix: string
  /** All that such objects use. */
  readonly tables: string
  /**
   * What there is of the object $1, in one statement and so as of one instant. `counts`: the count or the permits of each
   * owner. `waiters`: the owners of queue entries. `contradictions`: a text each, or null. `stays`: whether a row stays for
   * longer than the leases of a schedule explain. What has passed its time is left to the next step.
   */
  readonly select: string
}

const tablesOf = (...tables: string[]): string => tables.map((table) => `holdfast.${table}`).join(', ')

const now = `now as (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us)`

/** A minute for the last token, or twice the longest lease; and some slack. */
const longestUs = 130_000_000

const tombstones = `
  left join lateral (select max(until_us) as until_us from holdfast.tombstone where name = $1) t on true`

/** The entries of a queue, and the live ones among their owners. */
const entriesIn = (table: string): string => `
  left join lateral (
    select count(*) as n, array_agg(owner) filter (where alive_until_us > now.us) as waiters
    from holdfast.${table} where name = $1
  ) entries on true`

/** Reads l and entries. */
const entriesUncounted = `
    case when coalesce(l.waiting, 0) <> entries.n
      then format('a count of %s queue entries, where there are %s', coalesce(l.waiting, 0), entries.n) end`

const lock: KindOfRows = {
  prefix: '',
  tables: tablesOf('lock', 'place', 'tombstone'),
  select: `
  with ${now}
  select
    case when l.until_us > now.us and l.owner is not null
      then json_build_object(l.owner, l.hold_count) else '{}' end as counts,
    coalesce(case when l.queue_until_us > now.us then entries.waiters end, '{}') as waiters,
    array[${entriesUncounted}] as contradictions,
    coalesce(greatest(l.until_us, l.fence_until_us, l.queue_until_us, t.until_us) > now.us + ${longestUs}, false) as stays
  from now
  left join holdfast.lock l on l.name = $1${entriesIn('place')}${tombstones}`,
}

const shared = (prefix: string): KindOfRows => ({
  prefix,
  tables: tablesOf('shared', 'shared_hold', 'shared_place', 'tombstone'),
  select: `
  with ${now}
  select
    coalesce(holds.live, '{}') as counts,
    coalesce(case when l.queue_until_us > now.us then entries.waiters end, '{}') as waiters,
    array[${entriesUncounted},
    case when coalesce(l.used, 0) <> holds.permits
      then format('a sum of %s permits, where the holds have %s', coalesce(l.used, 0), holds.permits) end,
    case when l.ends_from_us > holds.first_end_us
      then 'a hold that ends before the instant from which holds may end' end
    ] as contradictions,
    coalesce(greatest(l.fence_until_us, l.queue_until_us, l.size_until_us, holds.last_end_us, t.until_us)
      > now.us + ${longestUs}, false) as stays
  from now
  left join holdfast.shared l on l.name = $1
  left join lateral (
    select coalesce(sum(permits), 0) as permits, min(until_us) as first_end_us, max(until_us) as last_end_us,
      json_object_agg(owner, permits) filter (where until_us > now.us) as live
    from holdfast.shared_hold where name = $1
  ) holds on true${entriesIn('shared_place')}${tombstones}`,
})

/** A latch stays for as long as its count is to be kept. */
const latch: KindOfRows = {
  prefix: '\\latch ',
  tables: tablesOf('latch', 'latch_party', 'latch_waiter'),
  select: `
  with ${now}
  select
    '{}'::json as counts,
    '{}'::text[] as waiters,
    array[
    case when parties.n <> case when l.is_closed then l.count - l.remaining else 0 end
      then format('%s parties, where %s of %s are left', parties.n, l.remaining, l.count) end,
    case when l.is_closed and l.remaining = 0
      then 'a latch for which all have counted down, and that is not open' end,
    case when l.is_open and l.until_us > now.us and waiters.live > 0
      then 'a client that waits for a latch that is open' end
    ] as contradictions,
    coalesce(l.until_us > now.us + 1000 * l.keep_ms + ${longestUs}, false)
      or coalesce(waiters.until_us > now.us + ${longestUs}, false) as stays
  from now
  left join lateral (
    select *, generation >= first_generation and opened <> generation as is_closed,
      generation >= first_generation and opened = generation as is_open
    from holdfast.latch where name = $1
  ) l on true
  left join lateral (select count(*) as n from holdfast.latch_party where name = $1) parties on true
  left join lateral (
    select count(*) filter (where until_us > now.us) as live, max(until_us) as until_us
    from holdfast.latch_waiter where name = $1
  ) waiters on true`,
}

const kinds: Readonly<Partial<Record<ObjectName, KindOfRows>>> = {
  lock,
  'read-write-lock': shared('\\rw '),
  semaphore: shared('\\semaphore '),
  latch,
  'multi-lock': lock,
}

/** How PostgreSQL has such objects. */
export function rowsOf(object: ObjectName): KindOfRows {
  const kind = kinds[object]
  if (!kind) throw new Error(`PostgreSQL has no ${object}`)
  return kind
}
