import { setTimeout as sleep } from 'node:timers/promises'
import { isHoldfastError, type Holdfast, type Lease, type Lock, type OwnerInfo } from '@holdfast/core'
import { ExitError, exitCodes } from '../exit-codes.js'
import { formatDuration } from '../output/duration.js'
import { escapeText } from '../output/escape.js'
import { describeOwner } from '../output/owner.js'
import { say } from '../output/terminal.js'
import { outerOwners } from './environment.js'

interface WaitOrder {
  readonly lock: Lock
  readonly waitMs: number
  readonly isQuiet: boolean
}

/**
 * Acquires the lock; `null` when another owner kept it, or when the wait was aborted.
 *
 * Outages count as part of the wait, from the start on: a server that cannot be reached ends it only when its time is up.
 */
export async function waitForLock(
  holdfast: Pick<Holdfast, 'on' | 'off'>,
  { lock, waitMs, isQuiet }: WaitOrder,
  signal: AbortSignal,
): Promise<Lease | null> {
  const startedAt = performance.now()
  let wasOut = false
  // Without an outage the wait begins with the queue.
  const leftMs = (): number =>
    wasOut ? Math.max(0, Math.ceil(startedAt + waitMs - performance.now())) : waitMs
  const said = new Set<string>()
  const onError = ({ message }: Error): void => {
    wasOut = true
    // An outage is reported again every second, and for how long a server was silent differs each time.
    const reason = message.replace(/\d+ ms/, '')
    if (!isQuiet && leftMs() > 0 && !said.has(reason)) say(`${message}; still waiting`)
    said.add(reason)
  }
  try {
    const lease = await firstReply({ lock, waitMs }, leftMs, onError, signal)
    if (lease) return lease
    const holder = await findHolder(lock)
    if (waitMs > 0) {
      if (!isQuiet) say(`waiting for lock ${escapeText(lock.name)}, held by ${holder}`)
      holdfast.on('error', onError)
      return await lock.lock({ waitMs: leftMs(), signal })
    }
    say(`lock ${escapeText(lock.name)} is held by ${holder}`)
    return null
  } catch (error) {
    if (signal.aborted) return null
    if (!isHoldfastError(error) || error.code !== 'LOCK_TIMEOUT') throw error
    say(`gave up after ${formatDuration(waitMs)}: lock ${escapeText(lock.name)} is still held`)
    return null
  } finally {
    holdfast.off('error', onError)
  }
}

/** How long to pause between attempts to reach the store. */
const retryEveryMs = 1_000

/** Longer timers of Node.js would fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** Requests the lock until the store replies, as long as there is time. Does not wait for a holder: who that is decides. */
async function firstReply(
  { lock, waitMs }: Pick<WaitOrder, 'lock' | 'waitMs'>,
  leftMs: () => number,
  onOutage: (error: Error) => void,
  signal: AbortSignal,
): Promise<Lease | null> {
  let reason = `the store did not reply for lock ${lock.name}`
  for (;;) {
    // A single attempt takes as long as one command may.
    const isLimited = waitMs > 0 && leftMs() <= longestTimerMs
    const timeUp = isLimited ? AbortSignal.timeout(leftMs()) : undefined
    try {
      return await lock.tryLock({ signal: timeUp ? AbortSignal.any([signal, timeUp]) : signal })
    } catch (error) {
      if (timeUp?.aborted && !signal.aborted) throw gaveUp(reason, waitMs)
      if (!isHoldfastError(error) || error.code !== 'UNAVAILABLE' || waitMs === 0) throw error
      onOutage(error)
      reason = error.message
      if (leftMs() === 0) throw gaveUp(reason, waitMs)
      await sleep(Math.min(retryEveryMs, leftMs()), undefined, { signal })
    }
  }
}

const gaveUp = (reason: string, waitMs: number): ExitError =>
  new ExitError(`gave up after ${formatDuration(waitMs)}: ${reason}`, exitCodes.unavailable)

/** Who holds the lock, for people. Refuses to wait for a lock that this very command runs under. */
async function findHolder(lock: Lock): Promise<string> {
  const holder = await inspectHolder(lock)
  if (!holder) return holder === null ? 'the next in line' : 'another owner'
  if (!outerOwners().includes(holder.owner)) return describeOwner(holder)
  throw new ExitError(
    `lock ${escapeText(lock.name)} is held by a command that this one was started by: it would wait for itself`,
    exitCodes.usage,
  )
}

/** `undefined` when the store did not say. If that means that there is no point in waiting, the wait will fail as well. */
async function inspectHolder(lock: Lock): Promise<OwnerInfo | null | undefined> {
  try {
    return (await lock.inspect()).holder
  } catch (error) {
    if (isHoldfastError(error)) return undefined
    throw error
  }
}
