import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from '../contender.js'

export interface ContendOrder {
  readonly lock: string
  readonly waiters: number
  /** When all begin to ask, and when they ask no more: on the machine's monotonic clock, the same for all processes. */
  readonly fromUs: number
  readonly untilUs: number
}

/** One time through the lock, which is left in the moment in which it is entered. */
export type Entry = readonly [waiter: number, askedAtUs: number, enteredAtUs: number]

export const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n)

/** Waiters that go through one lock again and again, and do nothing inside. Over when the last of them has left. */
export async function contend(
  session: Session,
  { lock, waiters, fromUs, untilUs }: ContendOrder,
): Promise<Entry[]> {
  const entries: Entry[] = []
  const wait = async (waiter: number): Promise<void> => {
    for (;;) {
      const askedAtUs = nowUs()
      if (askedAtUs >= untilUs) return
      const leave = await session.enter(lock)
      entries.push([waiter, askedAtUs, nowUs()])
      await leave()
    }
  }
  await sleep((fromUs - nowUs()) / 1_000)
  await Promise.all(Array.from({ length: waiters }, (_, waiter) => wait(waiter)))
  return entries
}
