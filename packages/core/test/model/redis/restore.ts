import type { Keys } from '../../../src/redis/keys.js'
import { lastToken, ownerName, restoredMs, times, type Job } from '../job.js'
import { inboxName } from './calls.js'

export type Command = [name: string, ...args: (string | number)[]]

/** What owners without a hold, a queue entry and a tombstone may still have in the waiters hash. */
export type Leftover = 'none' | 'stale entry' | 'expired tombstone'

/** How long ago entries were made: longer than any has been past its time. */
const agoMs = 2 * times.slackMs

/** The commands that put the state a job starts from into these keys. */
export function restoreCommands(
  { store, subscribed }: Job,
  leftover: Leftover,
  keys: Keys,
  nowMs: number,
): Command[] {
  const { main: lock, queue, waiters, fence } = keys
  const commands: Command[] = [['del', lock, queue, waiters, fence]]
  store.counts.forEach((count, owner) => {
    if (count > 0) commands.push(['hset', lock, ownerName(owner), count])
  })
  if (store.counts.some((count) => count > 0)) commands.push(['pexpire', lock, times.restoredLeaseMs])
  commands.push(...restoreWaiting({ store, subscribed }, leftover, keys, nowMs, lockEntry(nowMs)))
  if (store.hasFence) commands.push(['set', fence, lastToken, 'PX', 2 * times.restoredLeaseMs])
  return commands
}

const lockEntry =
  (nowMs: number) =>
  (_: number, leftMs: number, inbox: string): string =>
    `${(nowMs - agoMs) * 1_000} ${agoMs + leftMs} ${times.leaseMs} 1 p ${inbox}`

/**
 * The commands that put the queue and the waiters hash back.
 *
 * @param entryOf - the queue entry of an owner, alive for so long
 */
export function restoreWaiting(
  { store, subscribed }: Pick<Job, 'store' | 'subscribed'>,
  leftover: Leftover,
  { queue, waiters }: Keys,
  nowMs: number,
  entryOf: (owner: number, leftMs: number, inbox: string) => string,
): Command[] {
  const commands: Command[] = []
  const longestMs = Math.max(times.slackMs, ...store.entries.map((_, owner) => restoredMs(store, owner)))
  if (store.queue.length > 0) {
    commands.push(['rpush', queue, ...store.queue.map(ownerName)], ['pexpire', queue, longestMs])
  }

  const fields = store.entries.flatMap((entry, owner) => {
    const isFree = entry === '-' && store.counts[owner] === 0 && !store.queue.includes(owner)
    const kept = isFree ? leftover : entry
    if (kept === '-' || kept === 'none') return []
    const leftMs = restoredMs(store, owner) || -times.slackMs
    const inbox = inboxName(owner, subscribed[owner] ?? false)
    const isTombstone = kept === 'tombstone' || kept === 'expired tombstone'
    return [ownerName(owner), isTombstone ? `gone ${nowMs + leftMs}` : entryOf(owner, leftMs, inbox)]
  })
  if (fields.length > 0) commands.push(['hset', waiters, ...fields], ['pexpire', waiters, longestMs])
  return commands
}
