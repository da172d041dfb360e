import { WorkerPool } from './worker-pool.js'
import { titleOf, type Contender } from './contender.js'
import type { Visit, Window } from './hand-offs.js'
import { nowUs, type ContendOrder, type Entry } from './tasks/contend.js'

/** How many waiters contend for one lock, and for how long. */
export interface Contention {
  readonly lock: string
  readonly waiters: number
  readonly processes: number
  readonly warmUpMs: number
  readonly windowMs: number
}

/** Processes of one contender that can contend for one lock. */
export interface Rivals {
  readonly title: string
  /** One list of entries per process. */
  contend(orders: readonly ContendOrder[]): Promise<readonly (readonly Entry[])[]>
  stop(): Promise<void>
}

/** By then, every process has received its order. */
const headStartMs = 30

/** Has the rivals contend; resolves with all visits once the last waiter has left, and the window in which they count. */
export async function runContention(
  rivals: Rivals,
  { lock, waiters, processes, warmUpMs, windowMs }: Contention,
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
  const visits = entries.flatMap((ofProcess, index) =>
    ofProcess.map(([waiter, requestedAtUs, enteredAtUs]) => ({
      waiter: `${index}:${waiter}`,
      requestedAtUs,
      enteredAtUs,
    })),
  )
  return { visits, window }
}

/** Rivals in Node. Those that a runContention does not need are idle. */
export async function rivalsInNode(contender: Contender, url: string, processes: number): Promise<Rivals> {
  const pool = await WorkerPool.start(contender, url, processes)
  const idle = { lock: '', waiters: 0, fromUs: 0, untilUs: 0 }
  return {
    title: titleOf(contender),
    contend: (orders) => pool.all('contend', (index) => orders[index] ?? idle),
    stop: () => pool.stop(),
  }
}
