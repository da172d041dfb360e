import { lastToken, ownerName, restoredMs, times, type Job } from '../../../core/test/model/job.js'
import { at, type StoreState } from '../../../core/test/model/state.js'
import { formerInboxOf, formerProofOf, inboxOf, proofOf } from './inboxes.js'
import { nowUs, objectName as name, type Rows, type Way } from './table-store.js'

/** Columns of the tables, as far as the model looks at them. */
export interface LockRow {
  readonly owner: string | null
  readonly hold_count: number
  readonly until_us: number
  readonly token: number
  readonly fence_until_us: number
  readonly waiting: number
  readonly queue_until_us: number
}

export interface PlaceRow {
  readonly owner: string
  readonly ticket: number
  readonly alive_until_us: number
  readonly inbox: string
  readonly inbox_key: number | null
  readonly proof: string | null
}

/** A row to be written. */
export interface Owned {
  readonly owner: string
}

export interface TombstoneRow {
  readonly owner: string
  readonly until_us: number
}

export const untilUs = (ms: number): number => nowUs + ms * 1_000
export const overUs = untilUs(-times.slackMs)

/** By how much the end of the last token is moved to make it forgotten. */
export const forgottenUs = 1_000 * 4 * times.restoredLeaseMs

export const fenceUntilUs = ({ hasFence }: StoreState, { isTokenForgotten }: Way): number =>
  hasFence ? untilUs(2 * times.restoredLeaseMs) - (isTokenForgotten ? forgottenUs : 0) : overUs

/** The rows of a lock in the state that a job starts from. A lock that nobody has used has none. */
export function lockRows(job: Job, way: Way): Rows {
  const { store } = job
  const isUnused = store.counts.every((count) => count === 0) && store.queue.length === 0 && !store.hasFence
  const place = placeRows(job, way)
  return {
    lock: isUnused && !way.isUnsettled ? [] : [lockRow(job, way, place.length)],
    place,
    tombstone: tombstoneRows(job, way),
  }
}

/** A row outlives its hold and its queue, and keeps their instants. */
function lockRow({ store }: Job, way: Way, waiting: number): object {
  const { isUnsettled } = way
  const holder = store.counts.findIndex((count) => count > 0)
  const isHeld = holder >= 0
  return {
    name,
    owner: isHeld || isUnsettled ? ownerName(Math.max(holder, 0)) : null,
    hold_count: isHeld ? at(store.counts, holder) : 1,
    until_us: isHeld || !isUnsettled ? untilUs(times.restoredLeaseMs) : overUs,
    token: lastToken,
    fence_until_us: fenceUntilUs(store, way),
    last_ticket: ticketOf(waiting),
    waiting,
    queue_until_us: queueUntilUs(store, way),
  }
}

/** When a queue ends: with the last of its entries. */
export function queueUntilUs(store: StoreState, { isUnsettled, endsSoon }: Way): number {
  if (store.queue.length === 0 && isUnsettled) return overUs
  const livesMs = store.counts.map((_, owner) => (endsSoon ? 0 : restoredMs(store, owner)))
  return untilUs(Math.max(times.slackMs, ...livesMs))
}

export const ticketOf = (position: number): number => 3 * position

export function placeRows({ store, owner: stepOwner, step, subscribed }: Job, way: Way): Owned[] {
  const everyone = store.counts.map((_, owner) => owner)
  const queue = store.queue.length === 0 && way.isUnsettled ? everyone : store.queue
  // Who says where its client listens has said something else before.
  const hasMoved = (owner: number) => owner === stepOwner && (step === 'request' || step === 'refresh')
  return queue.map((owner, i) => {
    const isSubscribed = at(subscribed, owner)
    const livesMs = way.endsSoon ? times.slackMs : restoredMs(store, owner)
    const { channel, key } = hasMoved(owner) ? formerInboxOf(owner) : inboxOf(owner, isSubscribed, way)
    return {
      name,
      ticket: ticketOf(i + 1),
      owner: ownerName(owner),
      alive_until_us: store.entries[owner] === 'live' ? untilUs(livesMs) : overUs,
      grant_lease_ms: times.leaseMs,
      inbox: channel,
      inbox_key: key,
      proof: step === 'request' && owner === stepOwner ? formerProofOf(owner) : proofOf(owner),
    }
  })
}

export const tombstoneRows = ({ store }: Job, { isUnsettled }: Way): object[] =>
  store.entries.flatMap((entry, owner) => {
    if (entry === 'tombstone')
      return [{ name, owner: ownerName(owner), until_us: untilUs(restoredMs(store, owner)) }]
    return isUnsettled ? [{ name, owner: ownerName(owner), until_us: overUs }] : []
  })
