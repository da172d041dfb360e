import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'
import { loadOver, type ProcessLoad } from '../load-meter.js'
import { openWithWatchdog, type WatchdogSettings } from '../watchdog-session.js'

export interface WaitManyOrder {
  readonly lock: string
  readonly watchdog: WatchdogSettings | null
  readonly waiters: number
  readonly settleMs: number
  readonly measureMs: number
}

/** Starts many waiters for a lock that is never released, and measures what that costs. They still wait when it returns. */
export async function waitMany(session: Session, order: WaitManyOrder): Promise<ProcessLoad> {
  const { lock, watchdog, waiters, settleMs, measureMs } = order
  const client = openWithWatchdog(session, watchdog)
  const anyEnds = Promise.race(Array.from({ length: waiters }, () => client.enter(lock)))
  const watched = sleep(settleMs).then(() => loadOver(measureMs))
  const first = await Promise.race([watched, anyEnds])
  if (typeof first === 'function') throw new Error(`a waiter entered ${lock}, which is held`)
  return first
}
