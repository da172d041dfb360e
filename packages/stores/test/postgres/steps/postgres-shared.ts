import {
  byOwner,
  findsEndedHold,
  runsAgain,
  sumProblem,
  withEndedHolds,
  type Contents,
  type HoldContents,
  type Problem,
} from '@holdfast/model'
import { addressOf } from '../../../src/postgres/address.js'
import { commonWays, counterProblem, type PostgresKind, type Restoring } from './postgres-kind.js'
import {
  agoMs,
  msUntil,
  objectColumns,
  placeRows,
  readWaiting,
  tombstoneRows,
  untilUs,
  type ObjectRow,
  type PlaceRow,
  type TombstoneRow,
} from './waiting.js'

interface SharedRow extends ObjectRow {
  readonly used: number
  readonly ends_from_us: number
  readonly size: number
  readonly version: number
  readonly size_id: string
  readonly size_until_us: number
}

interface HoldRow {
  readonly owner: string
  readonly permits: number
  readonly token: number
  readonly until_us: number
}

interface SharedTables {
  readonly shared: readonly SharedRow[]
  readonly shared_hold: readonly HoldRow[]
  readonly shared_place: readonly (PlaceRow & { readonly want: number; readonly size: number })[]
  readonly tombstone: readonly TombstoneRow[]
}

/** A read/write lock or semaphore in PostgreSQL. */
export const postgresShared: PostgresKind = {
  kind: 'shared',
  name: addressOf('model', 'semaphore').id,
  ways: [
    { leftover: 'unsettled', from: withEndedHolds, promise: 'expiry', allows: findsEndedHold },
    { isRepeated: true, promise: 'repetition', allows: runsAgain },
    ...commonWays,
  ],
  rowsOf(contents, restoring) {
    const { holds, ended, queue, token, resized } = contents
    const { name } = restoring
    const isUnused = holds.length + queue.length === 0 && token === 0 && !resized
    const places = placeRows(contents, restoring, ({ want, size }) => ({ want, size }))
    const row = sharedRow(contents, places, restoring)
    return {
      shared: isUnused && restoring.unsettled.length === 0 ? [] : [row],
      shared_hold: [...holds, ...ended].map(({ owner, count, token: of, leftMs }) => ({
        name,
        owner,
        permits: count,
        token: of,
        until_us: untilUs(leftMs, restoring),
      })),
      shared_place: places,
      tombstone: tombstoneRows(contents, restoring),
    }
  },
  read(rows, nowUs, listening) {
    const { shared, shared_hold, shared_place, tombstone } = rows as SharedTables
    const [row] = shared
    const all = shared_hold.map(({ owner, permits, token, until_us }): HoldContents => {
      return { owner, count: permits, token, leftMs: msUntil(until_us, nowUs) }
    })
    const holds = byOwner(all.filter(({ leftMs }) => leftMs > 0))
    const ended = byOwner(all.filter(({ leftMs }) => leftMs <= 0))
    const isResized = row !== undefined && row.version > 0 && row.size_until_us > nowUs
    return {
      holds,
      ended,
      resized: isResized
        ? {
            size: row.size,
            version: row.version,
            id: row.size_id,
            leftMs: msUntil(row.size_until_us, nowUs),
          }
        : null,
      ...readWaiting(row, shared_place, tombstone, nowUs, listening, ({ want, size }) => ({ want, size })),
      problems: [
        ...counterProblem(row?.waiting ?? 0, shared_place.length),
        ...sumProblem(row?.used ?? 0, { holds, ended }),
        ...endProblem(row, shared_hold),
      ],
    }
  },
}

function sharedRow(contents: Contents, places: readonly object[], restoring: Restoring): object {
  const { holds, ended, resized } = contents
  const all = [...holds, ...ended]
  return {
    name: restoring.name,
    ...objectColumns(contents, places, restoring),
    used: all.reduce((sum, { count }) => sum + count, 0),
    ends_from_us: untilUs(Math.min(...all.map(({ leftMs }) => leftMs), 2 * agoMs), restoring),
    size: resized?.size ?? 0,
    version: resized?.version ?? (restoring.unsettled.length > 0 ? 1 : 0),
    size_id: resized?.id ?? 'an earlier resize',
    size_until_us: untilUs(resized?.leftMs ?? -agoMs, restoring),
  }
}

function endProblem(row: SharedRow | undefined, holds: readonly HoldRow[]): Problem[] {
  const endsEarly = row !== undefined && holds.some(({ until_us }) => until_us < row.ends_from_us)
  return endsEarly
    ? [{ promise: 'sum', detail: 'a hold ends before the instant from which holds may end' }]
    : []
}
