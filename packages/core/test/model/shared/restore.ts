import type { Keys } from '../../../src/redis/keys.js'
import { lastToken, ownerName, times, type Job } from '../job.js'
import { restoreWaiting, type Command, type Leftover as WaiterLeftover } from '../redis/restore.js'
import { at, type Shared, type StoreState } from '../state.js'
import { tokenOfHold } from './judge.js'
import { restoredSize } from './requests.js'

/** What owners without a hold, a queue entry and a tombstone may still have. */
export type Leftover = WaiterLeftover | 'ended hold'

/** Holds that have ended and that no step has dropped yet, by owners that left nothing else. */
export const endedHolds = ({ counts, entries, queue, hasFence }: StoreState): number[] =>
  counts.flatMap((permits, owner) =>
    hasFence && permits === 0 && entries[owner] === '-' && !queue.includes(owner) ? [owner] : [],
  )

/** The commands that put the state a job starts from into these keys. */
export function restoreCommands(
  { size, wants }: Shared,
  job: Job,
  leftover: Leftover,
  keys: Keys,
  nowMs: number,
): Command[] {
  const { store } = job
  const { main, ends, queue, waiters, fence } = keys
  const commands: Command[] = [['del', main, ends, queue, waiters, fence, keys.size]]
  const live = store.counts.flatMap((permits, owner) =>
    permits > 0 ? [{ owner, permits, endMs: nowMs + times.restoredLeaseMs }] : [],
  )
  const ended = (leftover === 'ended hold' ? endedHolds(store) : []).map((owner) => ({
    owner,
    permits: at(wants, owner),
    endMs: nowMs - times.slackMs,
  }))
  const holds = [...live, ...ended]
  if (holds.length > 0) {
    const used = holds.reduce((sum, { permits }) => sum + permits, 0)
    const values = holds.flatMap(({ owner, permits }) => [
      ownerName(owner),
      `${permits} ${tokenOfHold(owner)}`,
    ])
    const untilMs = nowMs + 2 * times.restoredLeaseMs
    commands.push(
      ['hset', main, 'used', used, ...values],
      ['zadd', ends, ...holds.flatMap(({ owner, endMs }) => [endMs, ownerName(owner)])],
      ['pexpireat', main, untilMs],
      ['pexpireat', ends, untilMs],
    )
  }
  const waiterLeftover = leftover === 'ended hold' ? 'none' : leftover
  const entryOf = (owner: number, leftMs: number, inbox: string): string =>
    `${nowMs + leftMs} ${times.leaseMs} 1 ${at(wants, owner)} ${size} p ${inbox}`
  commands.push(...restoreWaiting(job, waiterLeftover, keys, nowMs, entryOf))
  if (store.hasFence) commands.push(['set', fence, lastToken, 'PX', 2 * times.restoredLeaseMs])
  if (store.size !== null) {
    const { version, id } = restoredSize
    commands.push(['set', keys.size, `${store.size} ${version} ${id}`, 'PX', times.restoredLeaseMs])
  }
  return commands
}
