import { clockStartUs } from '@holdfast/model'
import { Client } from 'pg'
import { schema } from './functions.js'

const over = clockStartUs - 1
const alive = clockStartUs + 3_600_000_000

/** By table: rows that are needed yet, and rows that are not. */
const rows: Readonly<
  Record<
    string,
    { readonly columns: string; readonly kept: readonly string[]; readonly gone: readonly string[] }
  >
> = {
  tombstone: {
    columns: 'name, owner, until_us',
    kept: [`'held', 'a:1', ${alive}`],
    gone: [`'held', 'a:2', ${over}`, `'held', 'a:3', ${over}`],
  },
  client: {
    columns: 'id, host, pid, label, started_at_us, until_us',
    kept: [`'new', '', 1, '', 0, ${alive}`],
    gone: [`'old', '', 1, '', 0, ${over}`, `'older', '', 1, '', 0, ${over}`],
  },
  lock: {
    columns: 'name, until_us, fence_until_us, waiting, queue_until_us',
    kept: [
      `'held', ${alive}, ${over}, 0, 0`,
      `'fenced', ${over}, ${alive}, 0, 0`,
      `'queued', ${over}, ${over}, 1, ${alive}`,
    ],
    gone: [`'left', ${over}, ${over}, 1, ${over}`, `'over', ${over}, ${over}, 0, ${alive}`],
  },
  place: {
    columns: 'name, ticket, owner, alive_until_us, grant_lease_ms, inbox',
    kept: [`'queued', 1, 'b:1', ${alive}, 1, ''`],
    gone: [`'left', 1, 'b:1', ${over}, 1, ''`],
  },
  shared: {
    columns: 'name, used, fence_until_us, size_until_us, waiting, queue_until_us',
    kept: [
      `'held', 1, ${over}, ${over}, 0, 0`,
      `'fenced', 1, ${alive}, ${over}, 0, 0`,
      `'resized', 1, ${over}, ${alive}, 0, 0`,
      `'queued', 1, ${over}, ${over}, 1, ${alive}`,
    ],
    gone: [`'left', 1, ${over}, ${over}, 1, ${over}`, `'over', 0, ${over}, ${over}, 0, ${alive}`],
  },
  shared_hold: {
    columns: 'name, owner, permits, token, until_us',
    kept: [`'held', 'a:1', 1, 1, ${alive}`, `'fenced', 'a:1', 1, 1, ${over}`],
    gone: [`'left', 'a:1', 1, 1, ${over}`],
  },
  shared_place: {
    columns: 'name, ticket, owner, want, size, alive_until_us, grant_lease_ms, inbox',
    kept: [`'queued', 1, 'b:1', 1, 1, ${alive}, 1, ''`],
    gone: [`'left', 1, 'b:1', 1, 1, ${over}, 1, ''`],
  },
  latch: {
    columns: 'name, until_us',
    kept: [`'set', ${alive}`, `'awaited', ${over}`],
    gone: [`'left', ${over}`, `'over', ${over}`],
  },
  latch_party: {
    columns: 'name, party',
    kept: [`'set', 'p'`],
    gone: [`'left', 'p'`],
  },
  latch_waiter: {
    columns: 'name, client, inbox, until_us',
    kept: [`'set', 'c', '', ${over}`, `'awaited', 'c', '', ${alive}`],
    gone: [`'left', 'c', '', ${over}`],
  },
  fence: {
    columns: 'name, token',
    kept: [`'new', ${clockStartUs}`],
    gone: [`'old', 1`, `'older', 2`],
  },
}

/** What a sweep counts. */
const counted = ['tombstone', 'client', 'lock', 'shared', 'latch', 'fence'] as const

const tables = Object.keys(rows)

/** Sweeps what is over beside what is not. Throws where something else is left, or the count is another. */
export async function sweepAll(url: string): Promise<void> {
  const [one, other] = [1, 2].map(() => new Client({ connectionString: url }))
  if (!one || !other) return
  try {
    for (const client of [one, other]) {
      await client.connect()
      await client.query(`set model.now_us = '${clockStartUs}'`)
    }
    await one.query(`truncate ${schema}.store`)
    await fill(one, tables, 'kept')
    expectSame('the count of the first sweep', await sweep(one), '0')
    await fill(one, tables, 'kept', 'gone')
    await one.query('begin')
    expectSame('the count', await sweep(one), '2')
    expectSame('the count of a second sweep at the same time', await sweep(other), '-1')
    await one.query('commit')
    const left = await contentsOf(one)
    await fill(one, tables, 'kept')
    expectSame('what is left', left, await contentsOf(one))
    for (const table of counted) {
      await fill(one, [table], 'gone')
      expectSame(`the count of ${table}`, await sweep(one), '2')
      expectSame('the count of nothing', await sweep(one), '0')
    }
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

const sweep = async (client: Client): Promise<string> => {
  const { rows: replies } = await client.query<{ deleted: number }>(`select * from ${schema}.sweep(10)`)
  return String(replies[0]?.deleted)
}

async function fill(
  client: Client,
  filled: readonly string[],
  ...which: readonly ('kept' | 'gone')[]
): Promise<void> {
  await client.query(`truncate ${tables.map((table) => `${schema}.${table}`).join()}`)
  for (const table of filled) {
    const given = rows[table]
    const all = which.flatMap((each) => given?.[each] ?? []).map((row) => `(${row})`)
    await client.query(`insert into ${schema}.${table} (${given?.columns}) values ${all.join()}`)
  }
}

async function contentsOf(client: Client): Promise<string> {
  const texts = tables.map(
    (table) => `(select array_agg(t::text order by t::text) from ${schema}.${table} t)`,
  )
  const { rows: found } = await client.query<{ all: unknown }>(
    `select json_build_array(${texts.join()}) as all`,
  )
  return JSON.stringify(found[0]?.all)
}

function expectSame(what: string, found: string, expected: string): void {
  if (found !== expected) throw new Error(`${what} is ${found} instead of ${expected}`)
}
