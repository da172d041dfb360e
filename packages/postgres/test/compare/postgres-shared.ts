import type { TokenRanks } from '../../../memory/test/compare/observation.js'
import type { SharedStep } from '../../../memory/test/compare/shared-step.js'
import type { Row } from '../../src/connection/statement.js'
import { addressOf } from '../../src/address.js'
import { callOf, readReply, schema } from './postgres-calls.js'
import type { PostgresSubject } from './postgres-sequences.js'
import { listIn, readWaiting, type State } from './postgres-waiting.js'

/** All there is of the object, read at one instant; times are milliseconds from now. */
const readSql = `
  with now as (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us)
  select o.used, (o.ends_from_us - us) / 1000, o.size, o.version, o.size_id, (o.size_until_us - us) / 1000,
    (select json_agg(json_build_array(owner, permits, token, (until_us - us) / 1000) order by owner)
     from ${schema}.shared_hold where name = $1),
    o.token, (o.fence_until_us - us) / 1000, (o.queue_until_us - us) / 1000, o.waiting,
    (select json_agg(json_build_array(owner, (alive_until_us - us) / 1000, grant_lease_ms, want, size) order by ticket)
     from ${schema}.shared_place where name = $1),
    (select json_agg(json_build_array(owner, (until_us - us) / 1000) order by owner)
     from ${schema}.tombstone where name = $1)
  from now left join ${schema}.shared o on o.name = $1`

/** Makes everything older, so that no time need pass. */
const passSql = `
  with object as (
    update ${schema}.shared set ends_from_us = ends_from_us - $2::bigint, fence_until_us = fence_until_us - $2::bigint,
      queue_until_us = queue_until_us - $2::bigint, size_until_us = size_until_us - $2::bigint where name = $1
  ), hold as (
    update ${schema}.shared_hold set until_us = until_us - $2::bigint where name = $1
  ), place as (
    update ${schema}.shared_place set alive_until_us = alive_until_us - $2::bigint where name = $1
  )
  update ${schema}.tombstone set until_us = until_us - $2::bigint where name = $1`

/** How a read/write lock or semaphore is driven on PostgreSQL. */
export const postgresShared: PostgresSubject<SharedStep> = {
  idOf: (name) => addressOf(name, 'semaphore').id,
  readSql,
  callOf: (step, id) =>
    step.kind === 'pass' ? { text: passSql, values: [id, step.ms * 1_000] } : callOf('shared', step, id),
  readReply: (step, rows, tokens) => readReply('shared', step, rows, tokens),
  readState,
}

/** Throws when the sum of permits, or the instant before which no hold ends, is not that of the list. */
function readState(row: Row, tokens: TokenRanks): State {
  const [used, endsFromMs, size, version, sizeId, sizeMs, holds, ...waitingColumns] = row
  const [token, fenceMs, queueMs, waiting, places, tombstones] = waitingColumns
  const all = listIn(holds)
  const sum = all.reduce((total, [, permits]) => total + Number(permits), 0)
  if (sum !== Number(used)) throw new Error(`used is ${used}, not ${sum}`)
  if (all.some(([, , , ms]) => Number(ms) < Number(endsFromMs)))
    throw new Error(`a hold ends before ${endsFromMs} ms`)
  const live = all.filter(([, , , ms]) => Number(ms) > 0)
  const isResized = Number(version) > 0 && Number(sizeMs) > 0
  const held = live.map(
    ([owner, permits, of]) => `${String(owner)} ${String(permits)} ${tokens.rankOf(Number(of))}`,
  )
  const { ttlMs, ...left } = readWaiting({ token, fenceMs, queueMs, waiting, places, tombstones }, tokens)
  return {
    hold: `${held.join(', ')}; ${isResized ? [size, version, sizeId].join(' ') : ''}`,
    ...left,
    ttlMs: {
      ...ttlMs,
      ...Object.fromEntries(live.map(([owner, , , ms]) => [`the hold of ${String(owner)}`, Number(ms)])),
      ...(isResized && { 'the size': Number(sizeMs) }),
    },
  }
}
