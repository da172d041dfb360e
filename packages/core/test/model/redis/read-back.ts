import type { LockKeys } from '../../../src/redis/keys.js'
import { ownerNumber } from '../job.js'
import type { After } from '../judge.js'
import { storeState, type Entry } from '../state.js'
import type { Command } from './restore.js'

/** The commands that read all that a lock has in Redis. */
export const readCommands = ({ lock, queue, waiters, fence }: LockKeys): Command[] => [
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
export function readBack(
  replies: readonly unknown[],
  owners: number,
  nowMs: number,
): Omit<After, 'reply' | 'notices'> {
  const [hold, holdMs, queueList, queueMs, waiters, waitersMs, fence, fenceMs] = replies
  const counts = Array<number>(owners).fill(0)
  for (const [owner, count] of pairsOf(hold)) counts[ownerNumber(owner)] = Number(count)
  const queue = Array.isArray(queueList) ? queueList.map((owner) => ownerNumber(String(owner))) : []
  const states = Array<Entry>(owners).fill('-')
  const entries = Array.from({ length: owners }, () => ({ ownMs: 0, keptMs: 0 }))
  for (const [name, text] of pairsOf(waiters)) {
    const owner = ownerNumber(name)
    const isTombstone = text.startsWith('gone ')
    const ownMs = untilMsOf(text) - nowMs
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
  return {
    store: storeState(counts, queue, states, fence !== null),
    token: Number(fence ?? 0),
    holdMs: Number(holdMs),
    fenceMs: Number(fenceMs),
    entries,
  }
}

/** Until when a queue entry is alive, or a tombstone refuses requests. */
function untilMsOf(text: string): number {
  const [first = '', second] = text.split(' ')
  return first === 'gone' ? Number(second) : Number(first) / 1_000 + Number(second)
}

const pairsOf = (reply: unknown): [string, string][] =>
  typeof reply === 'object' && reply !== null
    ? Object.entries(reply).map(([field, value]): [string, string] => [field, String(value)])
    : []
