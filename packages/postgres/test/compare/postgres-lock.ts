import type { Step } from '../../../memory/test/compare/step.js'
import { callOf, readReply, schema } from './postgres-calls.js'
import type { PostgresSubject } from './postgres-sequences.js'
import { readWaiting } from './postgres-waiting.js'

/** All there is of the lock, read at one instant; times are milliseconds from now. */
const readSql = `
  with now as (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us)
  select l.owner, l.hold_count, (l.until_us - us) / 1000, l.token, (l.fence_until_us - us) / 1000,
    (l.queue_until_us - us) / 1000, l.waiting,
    (select json_agg(json_build_array(owner, (alive_until_us - us) / 1000, grant_lease_ms) order by ticket)
     from ${schema}.place where name = $1),
    (select json_agg(json_build_array(owner, (until_us - us) / 1000) order by owner)
     from ${schema}.tombstone where name = $1)
  from now left join ${schema}.lock l on l.name = $1`

/** Makes everything older, so that no time need pass. */
const passSql = `
  with lock as (
    update ${schema}.lock set until_us = until_us - $2::bigint, fence_until_us = fence_until_us - $2::bigint,
      queue_until_us = queue_until_us - $2::bigint where name = $1
  ), place as (
    update ${schema}.place set alive_until_us = alive_until_us - $2::bigint where name = $1
  )
  update ${schema}.tombstone set until_us = until_us - $2::bigint where name = $1`

/** How a lock is driven on PostgreSQL. */
export const postgresLock: PostgresSubject<Step> = {
  idOf: (name) => name,
  readSql,
  callOf: (step, id) =>
    step.kind === 'pass' ? { text: passSql, values: [id, step.ms * 1_000] } : callOf('lock', step, id),
  // In memory nothing is compared that says how long it will be held.
  readReply: (step, rows, tokens) => ({ reply: readReply('lock', step, rows, tokens).reply }),
  readState: ([owner, count, untilMs, token, fenceMs, queueMs, waiting, places, tombstones], tokens) => {
    const { ttlMs, ...left } = readWaiting({ token, fenceMs, queueMs, waiting, places, tombstones }, tokens)
    const isHeld = typeof owner === 'string' && Number(untilMs) > 0
    return {
      hold: isHeld ? `${owner} ${String(count)}` : '',
      ...left,
      ttlMs: { ...ttlMs, ...(isHeld && { 'the hold': Number(untilMs) }) },
    }
  },
}
