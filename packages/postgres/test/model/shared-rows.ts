import { lastToken, ownerName, ownerNumber, times, type Job } from '../../../core/test/model/job.js'
import { restoredSize } from '../../../core/test/model/shared/requests.js'
import { endedHolds } from '../../../core/test/model/shared/restore.js'
import { tokenOfHold } from '../../../core/test/model/shared/judge.js'
import { at, type Shared } from '../../../core/test/model/state.js'
import {
  fenceUntilUs,
  overUs,
  placeRows,
  queueUntilUs,
  ticketOf,
  tombstoneRows,
  untilUs,
} from './lock-rows.js'
import { sharedName as name, type Rows, type Way } from './table-store.js'

/** Columns of the tables, as far as the model looks at them. */
export interface SharedRow {
  readonly token: number
  readonly fence_until_us: number
  readonly waiting: number
  readonly queue_until_us: number
  readonly used: number
  readonly ends_from_us: number
  readonly size: number
  readonly version: number
  readonly size_until_us: number
}

export interface HoldRow {
  readonly owner: string
  readonly permits: number
  readonly token: number
  readonly until_us: number
}

/** The rows of a read/write lock or semaphore in the state that a job starts from. One that nobody has used has none. */
export function sharedRows({ size, wants }: Shared, job: Job, way: Way): Rows {
  const { store } = job
  const isUnused =
    store.counts.every((count) => count === 0) &&
    store.queue.length === 0 &&
    !store.hasFence &&
    store.size === null
  const places = placeRows(job, way).map((place) => ({
    ...named(place),
    want: at(wants, ownerNumber(place.owner)),
    size,
  }))
  const holds = holdRows(wants, job, way)
  return {
    shared: isUnused && !way.isUnsettled ? [] : [sharedRow(job, way, places.length, holds)],
    shared_hold: holds.map(named),
    shared_place: places,
    tombstone: tombstoneRows(job, way).map(named),
  }
}

const named = (row: object): object => ({ ...row, name })

function sharedRow({ store }: Job, way: Way, waiting: number, holds: readonly HoldRow[]): object {
  const isResized = store.size !== null
  return {
    name,
    token: lastToken,
    fence_until_us: fenceUntilUs(store, way),
    last_ticket: ticketOf(waiting),
    waiting,
    queue_until_us: queueUntilUs(store, way),
    used: holds.reduce((sum, { permits }) => sum + permits, 0),
    ends_from_us: Math.min(...holds.map(({ until_us }) => until_us), untilUs(times.restoredLeaseMs)),
    size: store.size ?? 0,
    version: isResized || way.isUnsettled ? restoredSize.version : 0,
    size_id: restoredSize.id,
    size_until_us: isResized ? untilUs(times.restoredLeaseMs) : overUs,
  }
}

function holdRows(wants: readonly number[], { store }: Job, { isUnsettled }: Way): HoldRow[] {
  const hold = (owner: number, permits: number, until_us: number): HoldRow => ({
    owner: ownerName(owner),
    permits,
    token: tokenOfHold(owner),
    until_us,
  })
  const live = store.counts.flatMap((permits, owner) =>
    permits > 0 ? [hold(owner, permits, untilUs(times.restoredLeaseMs))] : [],
  )
  const ended = isUnsettled ? endedHolds(store) : []
  return [...live, ...ended.map((owner) => hold(owner, at(wants, owner), overUs))]
}
