import type { Keys } from '../../../src/redis/keys.js'
import { ownerNumber } from '../job.js'
import type { LockAfter } from '../judge.js'
import { storeState, type Entry } from '../state.js'
import type { Seen } from './script-runner.js'
import type { Command } from './restore.js'

/** The commands that read all that a lock has in Redis. */
export const readCommands = ({ main: lock, queue, waiters, fence }: Keys): Command[] => [
  ['hgetall', lock],
  ['pttl', lock],
  ['lrange', queue, 0, -1],
  ['pttl', queue],
  ['hgetall', waiters],
  ['pttl', waiters],
  ['get', fence],
  ['pttl', fence],
]

/** What the replies to `readCommands` say. Fields of the waiters hash that have expired and are in no queue mean nothing. */
export function readBack(replies: readonly unknown[], seen: Seen, owners: number, nowMs: number): LockAfter {
  const [hold, holdMs, queueList, queueMs, waiters, waitersMs, fence, fenceMs] = replies
  const counts = Array<number>(owners).fill(0)
  for (const [owner, count] of pairsOf(hold)) counts[ownerNumber(owner)] = Number(count)
  const waiting = readWaiting([queueList, queueMs, waiters, waitersMs], owners, nowMs, lockEntryUntilMs)
  return {
    ...seen,
    store: storeState(counts, waiting.queue, waiting.states, fence !== null),
    token: Number(fence ?? 0),
    holdMs: Number(holdMs),
    fenceMs: Number(fenceMs),
    entries: waiting.entries,
  }
}

/**
 * What the replies for queue and waiters hash say, each followed by that key's TTL.
 *
 * @param entryUntilMs - until when a queue entry is alive
 */
export function readWaiting(
  [queueList, queueMs, waiters, waitersMs]: readonly unknown[],
  owners: number,
  nowMs: number,
  entryUntilMs: (entry: string) => number,
): { queue: number[]; states: Entry[]; entries: { ownMs: number; keptMs: number }[] } {
  const queue = Array.isArray(queueList) ? queueList.map((owner) => ownerNumber(String(owner))) : []
  const states = Array<Entry>(owners).fill('-')
  const entries = Array.from({ length: owners }, () => ({ ownMs: 0, keptMs: 0 }))
  for (const [name, text] of pairsOf(waiters)) {
    const owner = ownerNumber(name)
    const isTombstone = text.startsWith('gone ')
    const ownMs = (isTombstone ? Number(text.split(' ')[1]) : entryUntilMs(text)) - nowMs
    if (ownMs > 0) {
      states[owner] = isTombstone ? 'tombstone' : 'live'
      entries[owner] = {
        ownMs,
        keptMs: Math.min(Number(waitersMs), isTombstone ? Infinity : Number(queueMs)),
      }
    } else if (queue.includes(owner)) {
      states[owner] = 'stale'
    }
  }
  return { queue, states, entries }
}

function lockEntryUntilMs(entry: string): number {
  const [sinceUs, forMs] = entry.split(' ')
  return Number(sinceUs) / 1_000 + Number(forMs)
}

export const pairsOf = (reply: unknown): [string, string][] =>
  typeof reply === 'object' && reply !== null
    ? Object.entries(reply).map(([field, value]): [string, string] => [field, String(value)])
    : []
