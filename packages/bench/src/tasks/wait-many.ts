import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'
import { loadOver, type ProcessLoad } from '../load-meter.js'
import { openWithRhythm, type Rhythm } from '../rhythm.js'

export interface WaitManyOrder {
  readonly lock: string
  readonly rhythm: Rhythm | null
  readonly waiters: number
  readonly settleMs: number
  readonly measureMs: number
}

/** Has many wait for a lock that is never released, and tells what that costs. They still wait when it returns. */
export async function waitMany(session: Session, order: WaitManyOrder): Promise<ProcessLoad> {
  const { lock, rhythm, waiters, settleMs, measureMs } = order
  const client = openWithRhythm(session, rhythm)
  const anyEnds = Promise.race(Array.from({ length: waiters }, () => client.enter(lock)))
  const watched = sleep(settleMs).then(() => loadOver(measureMs))
  const first = await Promise.race([watched, anyEnds])
  if (typeof first === 'function') throw new Error(`somebody entered ${lock}, which is held`)
  return first
}
