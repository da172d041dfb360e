import type { Leave, Session } from '../contender.js'

/** How many cycles were made, in what time, and in how much of the processor's. */
export interface Pace {
  readonly cycles: number
  readonly us: number
  readonly cpuUs: number
}

export interface CyclesOrder {
  /** Of the names of the locks. */
  readonly prefix: string
  /** How many run concurrently, each with locks of its own. */
  readonly tasks: number
  readonly forMs: number
  /** Goes on beyond `forMs` until so many are made in all. 1 by default, since a stalled process may use up the time. */
  readonly atLeast?: number
  /** `plain` by default. `jointly` and `in a row` take `locks` locks, as one or one after another. */
  readonly way?: 'plain' | 'nested' | 'jointly' | 'in a row'
  readonly locks?: number
}

/** For `forMs` and `atLeast` cycles, tasks acquire and release. A cycle that has started is completed and counts. */
export async function cycles(session: Session, order: CyclesOrder): Promise<Pace> {
  const { prefix, tasks, forMs, atLeast = 1 } = order
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + forMs
  let done = 0
  await Promise.all(
    Array.from({ length: tasks }, async (_, index) => {
      const name = `${prefix}:${index}`
      while (performance.now() < endsAt || done < atLeast) {
        await cycle(session, name, order)
        done += 1
      }
    }),
  )
  const us = (performance.now() - startedAt) * 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { cycles: done, us, cpuUs: user + system }
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
