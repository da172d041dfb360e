import { Client } from 'pg'
import { readClock } from '../../../src/postgres/sql/blocks.js'
import { schema, type SchemaParts } from '../steps/functions.js'
import { asText } from '../steps/call.js'
import { waitsOrEnds } from './overlaps.js'

const hourUs = 3_600_000_000

/** Calls that write an instant one hour after the clock that they read. */
export const calls = {
  acquire: {
    text: `select ${schema}.acquire('late', 'a:1', 1, 3600000, 0, 0, '', null, 0, null)`,
    instant: `select until_us from ${schema}.lock`,
  },
  release: {
    text: `select ${schema}.release('late', 'b:1', 0, 3600000, 0)`,
    instant: `select until_us from ${schema}.tombstone`,
  },
  renew: {
    text: `select ${schema}.renew('{late}', '{a:1}', '{3600000}', 1000)`,
    instant: `select until_us from ${schema}.lock`,
  },
  refresh: {
    text: `select ${schema}.refresh('{late}', '{c:1}', '{3600000}', 'inbox', null)`,
    instant: `select alive_until_us from ${schema}.place`,
  },
} as const

/** Has the functions read the clock as they begin. */
export const withEarlyClock = (parts: SchemaParts): SchemaParts =>
  new Map(
    [...parts].map(([name, text]) => [
      name,
      text
        .replaceAll(readClock, '')
        .replaceAll('now_us bigint;', readClock.replace('now_us', 'now_us bigint')),
    ]),
  )

/**
 * Calls a function while another transaction has the row of the lock.
 *
 * @returns by how much the clock that it read is ahead of the instant at which it got the row, microseconds
 */
export async function clockAheadUs(
  url: string,
  { text, instant }: (typeof calls)[keyof typeof calls],
): Promise<number> {
  const [one, other] = [
    new Client({ connectionString: url, types: asText }),
    new Client({ connectionString: url, types: asText }),
  ]
  const numberFrom = async (sql: string): Promise<number> => {
    const { rows } = await one.query<string[]>({ text: sql, rowMode: 'array' })
    return Number(rows[0]?.[0])
  }
  try {
    await Promise.all([one.connect(), other.connect()])
    await one.query(`truncate ${schema}.lock, ${schema}.place, ${schema}.tombstone`)
    await one.query(`select ${schema}.acquire('late', 'a:1', 1, 60000, 0, 0, '', null, 0, null)`)
    await one.query(
      `select ${schema}.acquire('late', 'c:1', 1, 60000, 60000, 60000, 'inbox', null, 0, 'proof')`,
    )
    const pid = await other.query<{ pid: string }>('select pg_backend_pid() as pid')
    await one.query(`begin; select from ${schema}.lock for update`)
    const called = other.query(text)
    await waitsOrEnds(one, pid.rows[0]?.pid ?? '', called)
    const freedUs = await numberFrom('select (extract(epoch from clock_timestamp()) * 1000000)::bigint')
    await one.query('commit')
    await called
    return (await numberFrom(instant)) - hourUs - freedUs
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}
