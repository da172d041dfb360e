import type { Keys } from '../../../src/redis/keys.js'
import { ownerName, ownerNumber } from '../job.js'
import { pairsOf, readWaiting } from '../redis/read-back.js'
import type { Command } from '../redis/restore.js'
import type { Seen } from '../redis/script-runner.js'
import { storeState } from '../state.js'
import type { SharedAfter } from './judge.js'

/** The commands that read all that the object has in Redis. */
export const readCommands = ({ main, ends, queue, waiters, fence, size }: Keys): Command[] => [
  ['hgetall', main],
  ['pexpiretime', main],
  ['zrange', ends, 0, -1, 'WITHSCORES'],
  ['pexpiretime', ends],
  ['lrange', queue, 0, -1],
  ['pttl', queue],
  ['hgetall', waiters],
  ['pttl', waiters],
  ['get', fence],
  ['pttl', fence],
  ['get', size],
  ['pttl', size],
]

/** What the replies to `readCommands` say. A hold that has ended means nothing, but for the counter. */
export function readBack(
  replies: readonly unknown[],
  seen: Seen,
  owners: number,
  nowMs: number,
): SharedAfter {
  const [main, mainUntilMs, ends, endsUntilMs, , , , , fence, fenceMs, size, sizeMs] = replies
  const { used, ...values } = Object.fromEntries(pairsOf(main))
  const endOf = endsByOwner(ends)
  const holds = Array.from({ length: owners }, (_, owner) => {
    const [permits, token] = (values[ownerName(owner)] ?? '0 0').split(' ').map(Number)
    const holdMs = (endOf.get(owner) ?? 0) - nowMs
    return holdMs > 0
      ? { permits: permits ?? 0, token: token ?? 0, holdMs }
      : { permits: 0, token: 0, holdMs: 0 }
  })
  const waiting = readWaiting(replies.slice(4, 8), owners, nowMs, parseInt)
  const override = typeof size === 'string' ? Number(size.split(' ')[0]) : null
  return {
    ...seen,
    store: storeState(
      holds.map(({ permits }) => permits),
      waiting.queue,
      waiting.states,
      fence !== null,
      override,
    ),
    token: Number(fence ?? 0),
    tokens: holds.map(({ token }) => token),
    holdsMs: holds.map(({ holdMs }) => holdMs),
    fenceMs: Number(fenceMs),
    sizeMs: Number(sizeMs),
    entries: waiting.entries,
    sumProblems: [
      ...sumProblems(used, values, endOf),
      ...keyProblems(endOf, Number(mainUntilMs), Number(endsUntilMs)),
    ],
  }
}

/** Also of holds that have ended, as long as they are there. */
function sumProblems(
  used: string | undefined,
  values: Readonly<Record<string, string>>,
  endOf: ReadonlyMap<number, number>,
): string[] {
  const sum = Object.values(values).reduce((total, value) => total + parseInt(value), 0)
  const holding = Object.keys(values).sort().join(', ')
  const ending = [...endOf.keys()].map(ownerName).sort().join(', ')
  const found = []
  if (Number(used ?? 0) !== sum) found.push(`${used} permits are counted, ${sum} are held`)
  if (holding !== ending) found.push(`holds of ${holding}, ends of ${ending}`)
  return found
}

/** A key that ends before the other, or before a hold, would be taken for a loss. */
function keyProblems(endOf: ReadonlyMap<number, number>, mainUntilMs: number, endsUntilMs: number): string[] {
  if (mainUntilMs !== endsUntilMs) return [`the keys end at ${mainUntilMs} and ${endsUntilMs}`]
  const lastMs = Math.max(...endOf.values())
  return endOf.size > 0 && mainUntilMs < lastMs ? [`the keys end at ${mainUntilMs}, a hold at ${lastMs}`] : []
}

function endsByOwner(reply: unknown): Map<number, number> {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const ends = new Map<number, number>()
  for (let i = 0; i < list.length; i += 2) ends.set(ownerNumber(String(list[i])), Number(list[i + 1]))
  return ends
}
