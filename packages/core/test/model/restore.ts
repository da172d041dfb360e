import type { LockKeys } from '../../src/redis/keys.js'
import { inboxName, ownerName, times, type Job } from './job.js'

export type Command = [name: string, ...args: (string | number)[]]

/** The token given last: larger than the store's time in microseconds, so that only "last + 1" makes it grow. */
export const lastToken = 8_000_000_000_000_000
const firstTicket = lastToken

/** The commands that put the state a job starts from into these keys. */
export function restoreCommands({ store, subscribed }: Job, keys: LockKeys, nowMs: number): Command[] {
  const { lock, queue, waiters, fence } = keys
  const commands: Command[] = [['del', lock, queue, waiters, fence]]
  store.counts.forEach((count, owner) => {
    if (count > 0) commands.push(['hset', lock, ownerName(owner), count])
  })
  if (store.counts.some((count) => count > 0)) commands.push(['pexpire', lock, times.restoredLeaseMs])

  const livesMs = (owner: number): number => {
    const entry = store.entries[owner]
    if (entry === 'live') return times.entryTtlMs(owner)
    return entry === 'tombstone' ? times.tombstoneMs : 0
  }
  store.queue.forEach((owner, rank) => {
    commands.push(['zadd', queue, firstTicket + rank, ownerName(owner)])
  })
  if (store.queue.length > 0) commands.push(['pexpire', queue, times.slackMs + longest(store.queue, livesMs)])

  const listed = store.entries.flatMap((entry, owner) => (entry === '-' ? [] : [owner]))
  for (const owner of listed) {
    const untilMs = livesMs(owner) === 0 ? nowMs - times.slackMs : nowMs + times.slackMs + livesMs(owner)
    const inbox = inboxName(owner, subscribed[owner] ?? false)
    const isQueueEntry = store.entries[owner] === 'live' || store.entries[owner] === 'stale'
    const text = isQueueEntry ? `${untilMs} ${times.leaseMs} ${inbox}` : `gone ${untilMs}`
    commands.push(['hset', waiters, ownerName(owner), text])
  }
  if (listed.length > 0) commands.push(['pexpire', waiters, times.slackMs + longest(listed, livesMs)])

  if (store.hasFence) commands.push(['set', fence, lastToken, 'PX', 2 * times.restoredLeaseMs])
  return commands
}

const longest = (owners: readonly number[], livesMs: (owner: number) => number): number =>
  Math.max(...owners.map(livesMs))
