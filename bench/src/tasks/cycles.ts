import type { Leave, Session } from '../contender.js'

/** How many cycles were made, and in what time. */
export interface Pace {
  readonly cycles: number
  readonly us: number
}

export interface CyclesOrder {
  /** Of the names of the locks. */
  readonly prefix: string
  /** How many run concurrently, each with locks of its own. */
  readonly tasks: number
  readonly forMs: number
  /** `plain` by default. `jointly` and `in a row` take `locks` locks, as one or one after another. */
  readonly way?: 'plain' | 'nested' | 'jointly' | 'in a row'
  readonly locks?: number
}

/** For `forMs`, tasks acquire and release. A cycle that has started is completed and counts. */
export async function cycles(session: Session, order: CyclesOrder): Promise<Pace> {
  const { prefix, tasks, forMs } = order
  const startedAt = performance.now()
  const endsAt = startedAt + forMs
  let done = 0
  await Promise.all(
    Array.from({ length: tasks }, async (_, index) => {
      const name = `${prefix}:${index}`
      while (performance.now() < endsAt) {
        await cycle(session, name, order)
        done += 1
      }
    }),
  )
  return { cycles: done, us: (performance.now() - startedAt) * 1_000 }
}

async function cycle(session: Session, name: string, { way = 'plain', locks = 1 }: CyclesOrder) {
  if (way === 'plain') {
    const leave = await session.enter(name)
    await leave()
    return
  }
  if (way === 'nested') {
    await session.nest?.(name)
    return
  }
  const names = Array.from({ length: locks }, (_, n) => `${name}:${n}`)
  if (way === 'jointly') {
    await session.together?.(names)
    return
  }
  const leaves: Leave[] = []
  for (const each of names) leaves.push(await session.enter(each))
  await Promise.all(leaves.map((leave) => leave()))
}
