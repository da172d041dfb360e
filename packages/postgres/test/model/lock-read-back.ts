import { ownerName, ownerNumber, type Job, type SentNotice } from '../../../core/test/model/job.js'
import type { After, LockAfter, StepReply } from '../../../core/test/model/judge.js'
import { storeState, type Entry } from '../../../core/test/model/state.js'
import { readNotice } from '../../src/notices.js'
import { inboxOf, proofOf } from './inboxes.js'
import { forgottenUs, type LockRow, type PlaceRow, type TombstoneRow } from './lock-rows.js'
import { nowUs, type Rows, type Way } from './table-store.js'

/** What only tables have. */
export interface LockTablesAfter extends LockAfter {
  readonly way: Way
  /** How many waiters the lock's row counts. */
  readonly waiting: number
  /** All queue entries, those of a queue that has expired included. */
  readonly places: readonly PlaceRow[]
}

export interface SentRow {
  readonly nth: number
  readonly channel: string
  readonly payload: string
}

interface LockTables {
  readonly lock: readonly LockRow[]
  readonly place: readonly PlaceRow[]
  readonly tombstone: readonly TombstoneRow[]
  readonly sent: readonly SentRow[]
}

export const msUntil = (instantUs: number): number => (instantUs - nowUs) / 1_000

export function readLock(job: Job, way: Way, reply: StepReply, rows: Rows): LockTablesAfter {
  const { lock, place, tombstone, sent } = rows as unknown as LockTables
  const [row] = lock
  const names = job.store.counts.map((_, owner) => ownerName(owner))
  const isHeld = row !== undefined && row.owner !== null && row.until_us > nowUs
  const hasQueue = row !== undefined && row.waiting > 0 && row.queue_until_us > nowUs
  const fenceUntilUs =
    (row?.fence_until_us ?? 0) + (way.isTokenForgotten && job.store.hasFence ? forgottenUs : 0)
  const hasFence = fenceUntilUs > nowUs
  const places = [...place].sort((a, b) => a.ticket - b.ticket)
  const queue = hasQueue ? places : []
  const entries = names.map((name) => entryOf(name, queue, tombstone))
  return {
    reply,
    way,
    notices: noticesIn(sent),
    store: storeState(
      names.map((name) => (isHeld && row.owner === name ? row.hold_count : 0)),
      queue.map(({ owner }) => ownerNumber(owner)),
      entries.map(({ entry }) => entry),
      hasFence,
    ),
    token: hasFence && row ? row.token : 0,
    holdMs: isHeld ? msUntil(row.until_us) : 0,
    fenceMs: msUntil(fenceUntilUs),
    entries: entries.map((each) => timesOf(each, row)),
    waiting: row?.waiting ?? 0,
    places,
  }
}

/** A live queue entry ends with the queue. */
export const timesOf = (
  { entry, untilUs }: ReturnType<typeof entryOf>,
  row: { readonly queue_until_us: number } | undefined,
): After['entries'][number] => ({
  ownMs: msUntil(untilUs),
  keptMs: msUntil(entry === 'live' && row ? row.queue_until_us : untilUs),
})

export function entryOf(
  name: string,
  places: readonly PlaceRow[],
  tombstones: readonly TombstoneRow[],
): { entry: Entry; untilUs: number } {
  const place = places.find(({ owner }) => owner === name)
  if (place && place.alive_until_us > nowUs) return { entry: 'live', untilUs: place.alive_until_us }
  const tombstone = tombstones.find(({ owner, until_us }) => owner === name && until_us > nowUs)
  if (tombstone) return { entry: 'tombstone', untilUs: tombstone.until_us }
  return { entry: place ? 'stale' : '-', untilUs: nowUs }
}

/** What owners are sent. Nobody receives what goes to another channel than the owner's. */
export const noticesIn = (sent: readonly SentRow[]): SentNotice[] =>
  [...sent].sort((a, b) => a.nth - b.nth).flatMap(({ channel, payload }) => sentNotices(channel, payload))

function sentNotices(channel: string, payload: string): SentNotice[] {
  const notice = readNotice(payload)
  if (notice?.kind !== 'granted' && notice?.kind !== 'revoked') {
    throw new Error(`an unexpected message: ${payload}`)
  }
  // Nobody believes a grant without the proof of the queue entry.
  const owners =
    notice.kind === 'granted'
      ? notice.owners
          .filter((each) => each.proof === proofOf(ownerNumber(each.owner)))
          .map(({ owner }) => owner)
      : [notice.owner]
  return owners
    .map(ownerNumber)
    .filter((to) => channel === inboxOf(to, true, {}).channel)
    .map((to) =>
      notice.kind === 'granted' ? { kind: 'granted', to, token: notice.token } : { kind: 'revoked', to },
    )
}
