import { clockStartUs } from '@holdfast/model'
import { Client } from 'pg'
import { asText } from '../steps/call.js'
import { schema } from '../steps/functions.js'
import { backendOf, waitsOrEnds } from './overlaps.js'

const farUs = clockStartUs + 3_600_000_000

/** What another transaction makes. */
const held = `insert into ${schema}.lock (name, owner, hold_count, until_us, token, fence_until_us)
  values ('new', 'a:1', 1, ${farUs}, 1, ${farUs})`
const shared = `with held as (insert into ${schema}.shared_hold values ('new', 'a:1', 1, 1, ${farUs}))
  insert into ${schema}.shared (name, token, fence_until_us, used, ends_from_us, size, version, size_id, size_until_us)
  values ('new', 1, ${farUs}, 1, ${farUs}, 1, 1, 'x', ${farUs})`
const set = `insert into ${schema}.latch (name, generation, first_generation, remaining, count, keep_ms, setter, until_us)
  values ('new', 10, 10, 1, 1, 1000, 'a', ${farUs})`

/** Functions that make the row of an object, each with a call to which it matters that the row is there. */
const calls = {
  acquire: [held, `acquire('new', 'b:1', 1, 1000, 0, 0, '', null, 0, null)`],
  release: [held, `release('new', 'a:1', 0, 1000, 0)`],
  acquire_shared: [shared, `acquire_shared('new', 'b:1', 1, 1, 1000, 1000, 0, '', null, 0, 'proof')`],
  release_shared: [shared, `release_shared('new', 'a:1', 0, 1000, 0)`],
  resize: [shared, `resize('new', 2, 1000, 0, 'y', 0)`],
  latch_set: [set, `latch_set('new', 0, 'b', 1, 1000)`],
  latch_count_down: [set, `latch_count_down('new', 10, 'p')`],
  latch_delete: [set, `latch_delete('new', 10, 1000)`],
  latch_wait: [set, `latch_wait('{new}', '{10}', '{true}', '{0}', 'a', 'inbox')`],
} as const satisfies Readonly<Record<string, readonly [row: string, call: string]>>

export type MakesRow = keyof typeof calls

export const makingRows = Object.keys(calls) as readonly MakesRow[]

/** What the function replies and leaves where the row is there, and where another transaction has made it and not committed yet. */
export async function outcomesOf(
  url: string,
  name: MakesRow,
): Promise<readonly [there: string, made: string]> {
  const [row, text] = calls[name]
  const clients = [1, 2].map(() => new Client({ connectionString: url, types: asText }))
  const [one, other] = clients
  if (!one || !other) throw new Error('there are no clients')
  const call = async (): Promise<string> => {
    const { rows } = await other.query(`select * from ${schema}.${text}`)
    return JSON.stringify(rows)
  }
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await other.query(`set model.now_us = '${clockStartUs}'`)
    const pid = await backendOf(other)
    await one.query(empty)
    await one.query(row)
    const there = (await call()) + (await rowsOf(one))
    await one.query(empty)
    await one.query('begin')
    await one.query(row)
    const called = call()
    await waitsOrEnds(one, pid, called)
    await one.query('commit')
    return [there, (await called) + (await rowsOf(one))]
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

const tables = ['lock', 'shared', 'shared_hold', 'shared_place', 'latch', 'tombstone']

const empty = `truncate ${tables.map((table) => `${schema}.${table}`).join()}`

async function rowsOf(client: Client): Promise<string> {
  const all = tables.map((table) => `(select json_agg(t) from ${schema}.${table} t)`)
  const { rows } = await client.query(`select json_build_array(${all.join()})`)
  return JSON.stringify(rows)
}
