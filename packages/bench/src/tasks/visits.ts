import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../contender.js'

/** From when to when somebody was inside, by the clock that all processes of a machine share. */
export interface Visit {
  readonly fromUs: number
  readonly untilUs: number
}

/** How long one waits for those who are outside when the time is over. They may have missed that a lock is free. */
const graceMs = 200

/** For that long, so many tasks at once go in and out by the same lock. Returns every visit. */
export async function visits(
  session: Session,
  { lock, tasks, forMs }: { readonly lock: string; readonly tasks: number; readonly forMs: number },
): Promise<Visit[]> {
  const all: Visit[] = []
  const endsAt = performance.now() + forMs
  const task = async () => {
    while (performance.now() < endsAt) {
      const leave = await session.enter(lock)
      const fromUs = nowUs()
      // Whoever else is let in comes in now.
      await new Promise((resolve) => setImmediate(resolve))
      all.push({ fromUs, untilUs: nowUs() })
      await leave()
    }
  }
  await Promise.race([Promise.all(Array.from({ length: tasks }, task)), delay(forMs + graceMs)])
  return [...all]
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n)
