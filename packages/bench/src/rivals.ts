import { Crew } from './crew.js'
import { titleOf, type Contender } from './contender.js'
import type { Visit, Window } from './hand-offs.js'
import { nowUs, type ContendOrder, type Entry } from './tasks/contend.js'

/** How many want one lock, and for how long. */
export interface Race {
  readonly lock: string
  readonly waiters: number
  readonly processes: number
  readonly warmUpMs: number
  readonly windowMs: number
}

/** Processes of one contender that can be let loose on one lock. */
export interface Rivals {
  readonly title: string
  /** One list of entries per process. */
  contend(orders: readonly ContendOrder[]): Promise<readonly (readonly Entry[])[]>
  stop(): Promise<void>
}

/** Until then the orders have reached everybody. */
const headStartMs = 30

/** Lets them loose, and returns all visits when the last one has left, with the window in which they count. */
export async function race(
  rivals: Rivals,
  { lock, waiters, processes, warmUpMs, windowMs }: Race,
): Promise<{ readonly visits: Visit[]; readonly window: Window }> {
  const startUs = nowUs() + headStartMs * 1_000
  const fromUs = startUs + warmUpMs * 1_000
  const window = { fromUs, untilUs: fromUs + windowMs * 1_000 }
  const orders = Array.from({ length: processes }, (_, index) => ({
    lock,
    waiters: Math.floor((waiters + index) / processes),
    fromUs: startUs,
    untilUs: window.untilUs,
  }))
  const entries = await rivals.contend(orders)
  const visits = entries.flatMap((some, index) =>
    some.map(([waiter, askedAtUs, enteredAtUs]) => ({
      waiter: `${index}:${waiter}`,
      askedAtUs,
      enteredAtUs,
    })),
  )
  return { visits, window }
}

/** Rivals in Node. Those that a race does not need are idle. */
export async function crewOfRivals(contender: Contender, url: string, processes: number): Promise<Rivals> {
  const crew = await Crew.start(contender, url, processes)
  const idle = { lock: '', waiters: 0, fromUs: 0, untilUs: 0 }
  return {
    title: titleOf(contender),
    contend: (orders) => crew.all('contend', (index) => orders[index] ?? idle),
    stop: () => crew.stop(),
  }
}
