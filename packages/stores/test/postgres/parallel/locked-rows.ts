import { clockStartUs } from '@holdfast/model'
import { Client } from 'pg'
import { asText } from '../steps/call.js'
import { schema } from '../steps/functions.js'
import { backendOf, waitsOrEnds } from './overlaps.js'

const hourUs = 3_600_000_000
const farUs = clockStartUs + hourUs

/** Two objects that a:1 holds, and that b:1 and c:1 wait for. */
const lock = `
  truncate ${schema}.lock, ${schema}.place;
  insert into ${schema}.lock (name, owner, hold_count, until_us, last_ticket, waiting, queue_until_us)
    select n, 'a:1', 1, ${farUs}, 2, 2, ${farUs} from unnest('{x,y}'::text[]) n;
  insert into ${schema}.place select n, t, o, ${farUs}, 1, 'inbox', null, 'proof'
    from unnest('{x,y}'::text[]) n, unnest('{1,2}'::int[], '{b:1,c:1}'::text[]) w (t, o)`
const shared = `
  truncate ${schema}.shared, ${schema}.shared_hold, ${schema}.shared_place;
  insert into ${schema}.shared (name, used, ends_from_us, last_ticket, waiting, queue_until_us)
    select n, 1, ${farUs}, 2, 2, ${farUs} from unnest('{x,y}'::text[]) n;
  insert into ${schema}.shared_hold select n, 'a:1', 1, 1, ${farUs} from unnest('{x,y}'::text[]) n;
  insert into ${schema}.shared_place select n, t, o, 1, 1, ${farUs}, 1, 'inbox', null, 'proof'
    from unnest('{x,y}'::text[]) n, unnest('{1,2}'::int[], '{b:1,c:1}'::text[]) w (t, o)`

interface Upkeep {
  readonly rows: string
  readonly object: 'lock' | 'shared'
  /** What a call extends, in the table that has it. */
  readonly instant: string
  readonly table: string
}
const functions = {
  renew: { rows: lock, object: 'lock', instant: 'until_us', table: 'lock' },
  renew_shared: { rows: shared, object: 'shared', instant: 'until_us', table: 'shared_hold' },
  refresh: { rows: lock, object: 'lock', instant: 'alive_until_us', table: 'place' },
  refresh_shared: { rows: shared, object: 'shared', instant: 'alive_until_us', table: 'shared_place' },
} as const satisfies Readonly<Record<string, Upkeep>>

export type Keeps = keyof typeof functions

export const upkeeps = Object.keys(functions) as readonly Keeps[]

/** Calls the function while another transaction has the row of x. Throws where it does something wrong. */
export async function keepBesideLockedRow(url: string, name: Keeps): Promise<void> {
  const clients = [1, 2].map(() => new Client({ connectionString: url, types: asText }))
  const [one, other] = clients
  if (!one || !other) return
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await other.query(`set model.now_us = '${clockStartUs}'`)
    await (name === 'renew' || name === 'renew_shared'
      ? renewals(name, one, other)
      : refreshes(name, one, other))
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function renewals(name: 'renew' | 'renew_shared', one: Client, other: Client): Promise<void> {
  const { rows, object } = functions[name]
  const renew = (names: string, owners: string, waitMs: number): Promise<string> =>
    textOf(
      other,
      `${schema}.${name}('${names}', '${owners}', array_fill(7200000, array[cardinality('${names}'::text[])]), ${waitMs})`,
    )
  const pid = await backendOf(other)
  const behind = async (call: () => Promise<string>): Promise<string> => {
    await one.query(rows)
    await one.query('begin')
    await one.query(`select from ${schema}.${object} where name = 'x' for no key update`)
    const called = call()
    await waitsOrEnds(one, pid, called)
    await one.query('commit')
    return called
  }
  expectSame('without a wait', await behind(() => renew('{y,x,z}', '{a:1,a:1,a:1}', 0)), '1 2 0')
  expectSame('what is extended', await extended(one, name), 'y')
  await expectLocksOnly(one, other, object, () => renew('{y}', '{a:1}', 1_000))
  // A machine that stands still for longer than the wait would have it end.
  for (let left = 5; ; left--) {
    const waited = await behind(() => renew('{x}', '{a:1}', 1_000))
    if (waited === '1') return
    if (left === 0) throw new Error(`after a wait: ${waited}`)
  }
}

async function refreshes(name: 'refresh' | 'refresh_shared', one: Client, other: Client): Promise<void> {
  const { rows, object, table } = functions[name]
  const refresh = (names: string, owners: string, entriesMs: string): Promise<string> =>
    textOf(other, `${schema}.${name}('${names}', '${owners}', '${entriesMs}', 'inbox', null)`)
  await one.query(rows)
  await one.query('begin')
  await one.query(`select from ${schema}.${object} where name = 'x' for no key update`)
  await refresh('{y,x}', '{b:1,b:1}', '{7200000,7200000}')
  await one.query('commit')
  expectSame('what is extended', await extended(one, name), 'y')
  await expectLocksOnly(one, other, object, () => refresh('{y}', '{b:1}', '{7200000}'))
  // The queue outlives the entry that lives longest.
  await refresh('{x,x}', '{b:1,c:1}', '{7200000,10800000}')
  const queueUntil = `(select queue_until_us from ${schema}.${object} where name = 'x')`
  expectSame('the queue', await textOf(one, `text(${queueUntil})`), String(clockStartUs + 6 * hourUs))
  // A position is looked for among the first hundred.
  const columns = object === 'lock' ? '' : '1, 1, '
  await one.query(
    `insert into ${schema}.${table} select 'x', i, 'w:' || i, ${columns}${farUs}, 1, 'inbox', null, 'proof'
     from generate_series(3, 102) i`,
  )
  const call = `${schema}.${name}('{x,x}', '{b:1,w:102}', '{1,1}', 'inbox', null)`
  const { rows: refreshed } = await other.query<{ obstacles: string }>(`select * from ${call}`)
  expectSame('the positions', refreshed[0]?.obstacles ?? '', '[["a:1", 1], ["a:1", 0]]')
}

/** Throws where the call, which names y, locks x. */
async function expectLocksOnly(
  one: Client,
  other: Client,
  object: string,
  call: () => Promise<string>,
): Promise<void> {
  await other.query('begin')
  await call()
  await one.query(`select from ${schema}.${object} where name = 'x' for no key update nowait`)
  await other.query('commit')
}

const extended = (client: Client, name: Keeps): Promise<string> => {
  const { instant, table } = functions[name]
  return textOf(
    client,
    `text((select string_agg(name, ',') from ${schema}.${table} where ${instant} > ${farUs}))`,
  )
}

async function textOf(client: Client, call: string): Promise<string> {
  const { rows } = await client.query<(string | null)[]>({
    text: `select * from ${call} f`,
    rowMode: 'array',
  })
  return rows[0]?.[0] ?? ''
}

function expectSame(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`)
}
