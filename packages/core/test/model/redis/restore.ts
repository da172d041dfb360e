import type { LockKeys } from '../../../src/redis/keys.js'
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
  keys: LockKeys,
  nowMs: number,
): Command[] {
  const { lock, queue, waiters, fence } = keys
  const commands: Command[] = [['del', lock, queue, waiters, fence]]
  store.counts.forEach((count, owner) => {
    if (count > 0) commands.push(['hset', lock, ownerName(owner), count])
  })
  if (store.counts.some((count) => count > 0)) commands.push(['pexpire', lock, times.restoredLeaseMs])

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
    const queueEntry = `${(nowMs - agoMs) * 1_000} ${agoMs + leftMs} ${times.leaseMs} 1 ${inbox}`
    return [ownerName(owner), isTombstone ? `gone ${nowMs + leftMs}` : queueEntry]
  })
  if (fields.length > 0) commands.push(['hset', waiters, ...fields], ['pexpire', waiters, longestMs])

  if (store.hasFence) commands.push(['set', fence, lastToken, 'PX', 2 * times.restoredLeaseMs])
  return commands
}
