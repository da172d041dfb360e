import { setTimeout } from 'node:timers/promises'
import type { Session } from '../contender.js'
import { nowUs } from './contend.js'

const stallMs = 4_000

/** The time that one task was inside, by the clock that all processes of a machine share. */
export interface Visit {
  readonly fromUs: number
  readonly untilUs: number
}

/**
 * For `forMs`, and at least once, `tasks` concurrent tasks acquire and release the same lock. Returns every visit. A waiter
 * that missed its notification is not waited for: with some libraries it would wait until a lease expires.
 */
export async function visits(
  session: Session,
  { lock, tasks, forMs }: { readonly lock: string; readonly tasks: number; readonly forMs: number },
): Promise<Visit[]> {
  const all: Visit[] = []
  const endsAt = performance.now() + forMs
  const task = async () => {
    do {
      const leave = await session.enter(lock)
      const fromUs = nowUs()
      // If a second task is admitted too, it enters now.
      await new Promise((resolve) => setImmediate(resolve))
      all.push({ fromUs, untilUs: nowUs() })
      await leave()
    } while (performance.now() < endsAt)
  }
  const stalled = new AbortController()
  const patience = setTimeout(forMs + stallMs, undefined, { signal: stalled.signal }).catch(() => undefined)
  await Promise.race([Promise.all(Array.from({ length: tasks }, task)), patience])
  stalled.abort()
  return all
}
