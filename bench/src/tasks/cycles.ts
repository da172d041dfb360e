import type { Session } from '../contender.js'

/** How many cycles were made, and in what time. */
export interface Pace {
  readonly cycles: number
  readonly us: number
}

export interface CyclesOrder {
  /** Of the names of the locks. */
  readonly prefix: string
  /** How many run concurrently, each with a lock of its own. */
  readonly tasks: number
  readonly forMs: number
  /** Goes on beyond `forMs` until so many are made in all. 1 by default, since a stalled process may use up the time. */
  readonly atLeast?: number
}

/** For `forMs` and `atLeast` cycles, tasks acquire and release. A cycle that has started is completed and counts. */
export async function cycles(session: Session, order: CyclesOrder): Promise<Pace> {
  const { prefix, tasks, forMs, atLeast = 1 } = order
  const startedAt = performance.now()
  const endsAt = startedAt + forMs
  let done = 0
  await Promise.all(
    Array.from({ length: tasks }, async (_, index) => {
      const name = `${prefix}:${index}`
      while (performance.now() < endsAt || done < atLeast) {
        const leave = await session.enter(name)
        await leave()
        done += 1
      }
    }),
  )
  return { cycles: done, us: (performance.now() - startedAt) * 1_000 }
}
