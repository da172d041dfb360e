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
 * The first attempt does not wait, so that a server that cannot be reached ends it in time. After that a wait without a limit
 * outlives outages.
 */
export async function waitForLock(
  holdfast: Pick<Holdfast, 'on' | 'off'>,
  { lock, waitMs, isQuiet }: WaitOrder,
  signal: AbortSignal,
): Promise<Lease | null> {
  const said = new Set<string>()
  const onError = ({ message }: Error): void => {
    // An outage is reported again every second.
    if (!isQuiet && !said.has(message)) say(`${message}; still waiting`)
    said.add(message)
  }
  try {
    const lease = await lock.tryLock({ signal })
    if (lease) return lease
    const holder = await findHolder(lock)
    if (waitMs > 0) {
      if (!isQuiet) say(`waiting for lock ${escapeText(lock.name)}, held by ${holder}`)
      holdfast.on('error', onError)
      return await lock.lock({ waitMs, signal })
    }
    say(`lock ${escapeText(lock.name)} is held by ${holder}`)
    return null
  } catch (error) {
    if (signal.aborted) return null
    if (!isHoldfastError(error) || error.code !== 'LOCK_TIMEOUT') throw error
    say(`gave up after ${formatDuration(error.waitedMs)}: lock ${escapeText(lock.name)} is still held`)
    return null
  } finally {
    holdfast.off('error', onError)
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
