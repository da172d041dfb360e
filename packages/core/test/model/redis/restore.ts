import type { LockKeys } from '../../../src/redis/keys.js'
import { lastToken, ownerName, restoredMs, times, type Job } from '../job.js'
import { inboxName } from './calls.js'

export type Command = [name: string, ...args: (string | number)[]]

/** What owners without a hold, a queue entry and a tombstone may still have in the waiters hash. */
export type Leftover = 'none' | 'stale entry' | 'expired tombstone'

const firstTicket = lastToken

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

  store.queue.forEach((owner, rank) => {
    commands.push(['zadd', queue, firstTicket + rank, ownerName(owner)])
  })
  const longestMs = Math.max(times.slackMs, ...store.entries.map((_, owner) => restoredMs(store, owner)))
  if (store.queue.length > 0) commands.push(['pexpire', queue, longestMs])

  const fields = store.entries.flatMap((entry, owner) => {
    const isFree = entry === '-' && store.counts[owner] === 0 && !store.queue.includes(owner)
    const kept = isFree ? leftover : entry
    if (kept === '-' || kept === 'none') return []
    const untilMs = nowMs + (restoredMs(store, owner) || -times.slackMs)
    const isTombstone = kept === 'tombstone' || kept === 'expired tombstone'
    const inbox = inboxName(owner, subscribed[owner] ?? false)
    return [ownerName(owner), isTombstone ? `gone ${untilMs}` : `${untilMs} ${times.leaseMs} ${inbox}`]
  })
  if (fields.length > 0) commands.push(['hset', waiters, ...fields], ['pexpire', waiters, longestMs])

  if (store.hasFence) commands.push(['set', fence, lastToken, 'PX', 2 * times.restoredLeaseMs])
  return commands
}
