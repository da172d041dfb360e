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
  readonly atLeastMs: number | undefined
  readonly isQuiet: boolean
}

/**
 * Acquires the lock; `null` when another owner kept it, or when the wait was aborted.
 *
 * Outages count as part of the wait: a server that cannot be reached ends it only when its time is up.
 */
export async function waitForLock(
  holdfast: Pick<Holdfast, 'on' | 'off'>,
  { lock, waitMs, atLeastMs, isQuiet }: WaitOrder,
  signal: AbortSignal,
): Promise<Lease | null> {
  if (waitMs === 0) return tryOnce(lock, atLeastMs, isQuiet, signal)
  const refusal = new AbortController()
  const onWaiting = (): void =>
    void findHolder(lock).then(
      (holder) => {
        if (!isQuiet) say(`waiting for lock ${escapeText(lock.name)}, held by ${holder}`)
      },
      (error: unknown) => refusal.abort(error),
    )
  const said = new Set<string>()
  const onError = (error: Error): void => {
    // What the store refuses ends the wait, or is one of the things that it can do without.
    if (!isHoldfastError(error) || error.code !== 'UNAVAILABLE') return
    const { message } = error
    // An outage is reported again every second, and for how long a server was silent differs each time.
    const reason = message.replace(/\d+ ms/, '')
    if (!isQuiet && !said.has(reason)) say(`${message}; still waiting`)
    said.add(reason)
  }
  holdfast.on('waiting', onWaiting)
  holdfast.on('error', onError)
  try {
    return await lock.lock({ waitMs, atLeastMs, signal: AbortSignal.any([signal, refusal.signal]) })
  } catch (error) {
    if (signal.aborted) return null
    if (!isHoldfastError(error) || error.code !== 'LOCK_TIMEOUT') throw error
    if (!isQuiet) say(`gave up after ${formatDuration(waitMs)}: lock ${escapeText(lock.name)} is still held`)
    return null
  } finally {
    holdfast.off('waiting', onWaiting)
    holdfast.off('error', onError)
  }
}

async function tryOnce(
  lock: Lock,
  atLeastMs: number | undefined,
  isQuiet: boolean,
  signal: AbortSignal,
): Promise<Lease | null> {
  try {
    const lease = await lock.tryLock({ atLeastMs, signal })
    const holder = lease ? '' : await findHolder(lock)
    if (!lease && !isQuiet) say(`lock ${escapeText(lock.name)} is held by ${holder}`)
    return lease
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

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
