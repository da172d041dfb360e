import type { Contents } from '../contents.js'
import { lastToken, ownerName, ownerNumber, restoredMs, times, type Job } from './job.js'
import type { Shape } from './shape.js'
import { at, storeState, type Entry, type StoreState } from './state.js'

/** The token of a hold that was there before the step: each has another. */
export const tokenOfHold = (owner: number): number => lastToken - 10 + owner

/** Of the size that an object has when a job starts. */
const restoredSize = { version: 1, id: 'an earlier resize' } as const

/** The contents of the store that a job starts from. */
export function contentsOf({ isLock, size, wants }: Shape, job: Job): Contents {
  const { store, owner: stepOwner, step, subscribed } = job
  const hasQueue = store.queue.length > 0
  // Who says where its client listens, or with what proof, has said something else before.
  const says = (owner: number, ...steps: Job['step'][]): boolean =>
    owner === stepOwner && steps.includes(step)
  return {
    holds: store.counts.flatMap((count, owner) => {
      const token = isLock ? null : tokenOfHold(owner)
      return count > 0 ? [{ owner: ownerName(owner), count, token, leftMs: times.restoredLeaseMs }] : []
    }),
    ended: [],
    queue: store.queue.map((owner) => ({
      owner: ownerName(owner),
      want: at(wants, owner),
      size,
      grantLeaseMs: times.leaseMs,
      leftMs: store.entries[owner] === 'live' ? restoredMs(store, owner) : -times.slackMs,
      saysWhere: !says(owner, 'request', 'refresh'),
      hasProof: !says(owner, 'request'),
    })),
    queueMs: hasQueue
      ? Math.max(times.slackMs, ...store.entries.map((_, owner) => restoredMs(store, owner)))
      : 0,
    tombstones: store.entries.flatMap((entry, owner) =>
      entry === 'tombstone' ? [{ owner: ownerName(owner), leftMs: restoredMs(store, owner) }] : [],
    ),
    token: store.hasFence ? lastToken : 0,
    fenceMs: store.hasFence ? 2 * times.restoredLeaseMs : 0,
    resized:
      store.size === null ? null : { size: store.size, ...restoredSize, leftMs: times.restoredLeaseMs },
    unsubscribed: subscribed.flatMap((is, owner) => (is ? [] : [ownerName(owner)])),
    problems: [],
  }
}

/** What the contents are in the model. */
export function stateOf(contents: Contents, owners: number): StoreState {
  const { holds, queue, tombstones, token, resized } = contents
  const counts = Array<number>(owners).fill(0)
  for (const { owner, count } of holds) counts[ownerNumber(owner)] = count
  const entries = Array<Entry>(owners).fill('-')
  for (const { owner } of queue) entries[ownerNumber(owner)] = 'stale'
  for (const { owner } of tombstones) entries[ownerNumber(owner)] = 'tombstone'
  for (const { owner, leftMs } of queue) if (leftMs > 0) entries[ownerNumber(owner)] = 'live'
  const positions = queue.map(({ owner }) => ownerNumber(owner))
  return storeState(counts, positions, entries, token > 0, resized?.size ?? null)
}

/** Adds the holds that owners that left nothing else might have had, and that have ended. */
export function withEndedHolds(contents: Contents, { store }: Job, { wants }: Shape): Contents {
  const free = store.counts.flatMap((permits, owner) =>
    store.hasFence && permits === 0 && store.entries[owner] === '-' && !store.queue.includes(owner)
      ? [owner]
      : [],
  )
  const ended = free.map((owner) => ({
    owner: ownerName(owner),
    count: at(wants, owner),
    token: tokenOfHold(owner),
    leftMs: -times.slackMs,
  }))
  return { ...contents, ended }
}
