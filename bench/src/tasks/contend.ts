import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'

export interface ContendOrder {
  readonly lock: string
  readonly waiters: number
  /** When requests start and stop: on the machine's monotonic clock, the same for all processes. */
  readonly fromUs: number
  readonly untilUs: number
}

/** One pass through the lock, which is released as soon as it is acquired. */
export type Entry = readonly [waiter: number, requestedAtUs: number, enteredAtUs: number]

/** Processes of one contender that can contend for one lock. */
export interface Rivals {
  /** One list of entries per process. */
  contend(orders: readonly ContendOrder[]): Promise<readonly (readonly Entry[])[]>
  stop(): Promise<void>
}

export const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n)

/** Waiters that acquire and release one lock repeatedly. Resolves when the last of them has left. */
export async function contend(
  session: Session,
  { lock, waiters, fromUs, untilUs }: ContendOrder,
): Promise<Entry[]> {
  const entries: Entry[] = []
  const wait = async (waiter: number): Promise<void> => {
    for (;;) {
      const requestedAtUs = nowUs()
      if (requestedAtUs >= untilUs) return
      const leave = await session.enter(lock)
      entries.push([waiter, requestedAtUs, nowUs()])
      await leave()
    }
  }
  await sleep((fromUs - nowUs()) / 1_000)
  await Promise.all(Array.from({ length: waiters }, (_, waiter) => wait(waiter)))
  return entries
}
