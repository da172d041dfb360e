import { setTimeout as delay } from 'node:timers/promises'
import type { Session } from '../contender.js'

/** The time that one task was inside, by the clock that all processes of a machine share. */
export interface Visit {
  readonly fromUs: number
  readonly untilUs: number
}

/** How long to wait for tasks outside the lock when the time is up. They may have missed that the lock is free. */
const graceMs = 200

/** For `forMs`, `tasks` concurrent tasks acquire and release the same lock. Returns every visit. */
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
      // If a second task is admitted too, it enters now.
      await new Promise((resolve) => setImmediate(resolve))
      all.push({ fromUs, untilUs: nowUs() })
      await leave()
    }
  }
  await Promise.race([Promise.all(Array.from({ length: tasks }, task)), delay(forMs + graceMs)])
  return [...all]
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n)
