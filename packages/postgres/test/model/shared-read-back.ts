import { ownerName, ownerNumber, type Job } from '../../../core/test/model/job.js'
import type { StepReply } from '../../../core/test/model/judge.js'
import type { SharedAfter } from '../../../core/test/model/shared/judge.js'
import { storeState } from '../../../core/test/model/state.js'
import { entryOf, msUntil, noticesIn, timesOf, type SentRow } from './lock-read-back.js'
import { forgottenUs, type PlaceRow, type TombstoneRow } from './lock-rows.js'
import type { HoldRow, SharedRow } from './shared-rows.js'
import { nowUs, type Rows, type Way } from './table-store.js'

/** What only tables have. */
export interface SharedTablesAfter extends SharedAfter {
  readonly way: Way
  /** How many waiters the object's row counts. */
  readonly waiting: number
  /** All queue entries, those of a queue that has expired included. */
  readonly places: readonly PlaceRow[]
}

interface SharedTables {
  readonly shared: readonly SharedRow[]
  readonly shared_hold: readonly HoldRow[]
  readonly shared_place: readonly PlaceRow[]
  readonly tombstone: readonly TombstoneRow[]
  readonly sent: readonly SentRow[]
}

/** What the rows say. A hold that has ended means nothing, but for the sum of permits. */
export function readShared(job: Job, way: Way, reply: StepReply, rows: Rows): SharedTablesAfter {
  const tables = rows as unknown as SharedTables
  const { tombstone, sent } = tables
  const [row] = tables.shared
  const names = job.store.counts.map((_, owner) => ownerName(owner))
  const holds = names.map((name) =>
    tables.shared_hold.find(({ owner, until_us }) => owner === name && until_us > nowUs),
  )
  const places = [...tables.shared_place].sort((a, b) => a.ticket - b.ticket)
  const queue = row !== undefined && row.waiting > 0 && row.queue_until_us > nowUs ? places : []
  const entries = names.map((name) => entryOf(name, queue, tombstone))
  const fenceUntilUs =
    (row?.fence_until_us ?? 0) + (way.isTokenForgotten && job.store.hasFence ? forgottenUs : 0)
  const hasFence = fenceUntilUs > nowUs
  const isResized = row !== undefined && row.version > 0 && row.size_until_us > nowUs
  return {
    reply,
    way,
    notices: noticesIn(sent),
    store: storeState(
      holds.map((hold) => hold?.permits ?? 0),
      queue.map(({ owner }) => ownerNumber(owner)),
      entries.map(({ entry }) => entry),
      hasFence,
      isResized ? row.size : null,
    ),
    token: hasFence && row ? row.token : 0,
    tokens: holds.map((hold) => hold?.token ?? 0),
    holdsMs: holds.map((hold) => (hold ? msUntil(hold.until_us) : 0)),
    fenceMs: msUntil(fenceUntilUs),
    sizeMs: isResized ? msUntil(row.size_until_us) : 0,
    entries: entries.map((each) => timesOf(each, row)),
    sumProblems: sumProblems(row, tables.shared_hold),
    waiting: row?.waiting ?? 0,
    places,
  }
}

/** Also of holds that have ended, as long as they are there. */
function sumProblems(row: SharedRow | undefined, holds: readonly HoldRow[]): string[] {
  const sum = holds.reduce((permits, hold) => permits + hold.permits, 0)
  const used = row?.used ?? 0
  const found = used === sum ? [] : [`${used} permits are counted, ${sum} are held`]
  const endsEarly = row !== undefined && holds.some(({ until_us }) => until_us < row.ends_from_us)
  return endsEarly ? [...found, 'a hold ends before the instant from which holds may end'] : found
}
