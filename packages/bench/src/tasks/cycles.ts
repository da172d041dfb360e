import type { Session } from '../contender.js'

/** How many cycles were made, and in what time. */
export interface Pace {
  readonly cycles: number
  readonly us: number
}

/** For `forMs`, `tasks` concurrent tasks acquire and release, each its own lock. */
export async function cycles(
  session: Session,
  { prefix, tasks, forMs }: { readonly prefix: string; readonly tasks: number; readonly forMs: number },
): Promise<Pace> {
  const names = Array.from({ length: tasks }, (_, index) => `${prefix}:${index}`)
  return pace(names, forMs, async (name) => {
    const leave = await session.enter(name)
    await leave()
  })
}

/** Repeats the step for every name concurrently, for `forMs`. A step that has started is completed and counts. */
export async function pace(
  names: readonly string[],
  forMs: number,
  step: (name: string) => Promise<void>,
): Promise<Pace> {
  const startedAt = performance.now()
  const endsAt = startedAt + forMs
  let done = 0
  await Promise.all(
    names.map(async (name) => {
      while (performance.now() < endsAt) {
        await step(name)
        done += 1
      }
    }),
  )
  return { cycles: done, us: (performance.now() - startedAt) * 1_000 }
}
