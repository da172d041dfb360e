import { leavesTheSame } from '@holdfast/model'
import { commonWays, counterProblem, type PostgresKind } from './postgres-kind.js'
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

interface LockRow extends ObjectRow {
  readonly owner: string | null
  readonly hold_count: number
  readonly until_us: number
}

interface LockTables {
  readonly lock: readonly LockRow[]
  readonly place: readonly PlaceRow[]
  readonly tombstone: readonly TombstoneRow[]
}

/** A lock in PostgreSQL. */
export const postgresLock: PostgresKind = {
  kind: 'lock',
  name: 'model',
  ways: [
    { leftover: 'unsettled', promise: 'expiry' },
    {
      isRepeated: true,
      promise: 'repetition',
      allows: (_job, first, second) => leavesTheSame(first, second),
    },
    ...commonWays,
  ],
  rowsOf(contents, restoring) {
    const { holds, queue, token } = contents
    const { name, unsettled } = restoring
    const [hold] = holds
    const isUnused = !hold && queue.length === 0 && token === 0 && unsettled.length === 0
    const place = placeRows(contents, restoring)
    const row = {
      name,
      owner: hold?.owner ?? unsettled[0] ?? null,
      hold_count: hold?.count ?? 1,
      // A row outlives its hold, and keeps the instant.
      until_us: untilUs(hold?.leftMs ?? (unsettled.length > 0 ? -agoMs : agoMs), restoring),
      ...objectColumns(contents, place, restoring),
    }
    return { lock: isUnused ? [] : [row], place, tombstone: tombstoneRows(contents, restoring) }
  },
  read(rows, nowUs, listening) {
    const { lock, place, tombstone } = rows as LockTables
    const [row] = lock
    const isHeld = row !== undefined && row.owner !== null && row.until_us > nowUs
    return {
      holds: isHeld
        ? [{ owner: row.owner, count: row.hold_count, token: null, leftMs: msUntil(row.until_us, nowUs) }]
        : [],
      ended: [],
      resized: null,
      ...readWaiting(row, place, tombstone, nowUs, listening, () => ({ want: 1, size: 1 })),
      problems: counterProblem(row?.waiting ?? 0, place.length),
    }
  },
}
