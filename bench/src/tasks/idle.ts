import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'
import { loadOver, type ProcessLoad } from '../load-meter.js'

/** Takes the lock and keeps it for as long as this process lives. */
export async function holdOne(session: Session, { lock }: { readonly lock: string }): Promise<void> {
  await session.enter(lock)
}

export interface WaitManyOrder {
  readonly lock: string
  readonly waiters: number
  readonly settleMs: number
  readonly measureMs: number
}

/** Starts many waiters for a lock that is never released, and measures what that costs. They still wait when it returns. */
export async function waitMany(session: Session, order: WaitManyOrder): Promise<ProcessLoad> {
  const { lock, waiters, settleMs, measureMs } = order
  const anyEnds = Promise.race(Array.from({ length: waiters }, () => session.enter(lock)))
  const watched = sleep(settleMs).then(() => loadOver(measureMs))
  const first = await Promise.race([watched, anyEnds])
  if (typeof first === 'function') throw new Error(`a waiter entered ${lock}, which is held`)
  return first
}
