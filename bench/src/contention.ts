import { contenders } from './adapters/contenders.js'
import { redisson, whyNoRedisson, type Redisson } from './adapters/redisson.js'
import { ableTo, type Contender } from './contender.js'
import type { Subject } from './compare.js'
import { handOffsIn, type Visit, type Window } from './hand-offs.js'
import type { Figure, Plan } from './scenario.js'
import { nowUs, type Rivals } from './tasks/contend.js'
import { warmUpMs, WorkerPool } from './worker-pool.js'

/** What contends: a contender in Node, or Redisson in Java. */
export type Rival = Contender | Redisson

export const isInJava = (rival: Rival): rival is Redisson => 'start' in rival

/** Those of the plan that can wait. Redisson takes part only if no contender of Redis is left out. */
export async function rivalsIn(plan: Plan): Promise<Rival[]> {
  const inNode = ableTo('wait', plan.contenders, ({ waits }) => waits !== 'never', plan.say)
  if (plan.contenders !== contenders.redis) return inNode
  const missing = await whyNoRedisson()
  if (missing === null) return [...inNode, redisson]
  plan.say(`left out: Redisson. ${missing}`)
  return inNode
}

/** Starts all rivals, runs the callback with them, and stops them. */
export async function withRivals<R extends Rival, T>(
  rivals: readonly R[],
  urlOf: (rival: R) => string,
  processesOf: (rival: R) => number,
  use: (started: ReadonlyMap<R, Rivals>) => Promise<T>,
): Promise<T> {
  const started = new Map<R, Rivals>()
  try {
    for (const rival of rivals) {
      const [url, processes] = [urlOf(rival), processesOf(rival)]
      const starting = isInJava(rival) ? rival.start(url, processes) : startInNode(rival, url, processes)
      started.set(rival, await starting)
    }
    return await use(started)
  } finally {
    await Promise.all([...started.values()].map((each) => each.stop()))
  }
}

async function startInNode(contender: Contender, url: string, processes: number): Promise<Rivals> {
  const pool = await WorkerPool.start(contender, url, processes)
  const idle = { lock: '', waiters: 0, fromUs: 0, untilUs: 0 }
  return {
    contend: (orders) => pool.all('contend', (index) => orders[index] ?? idle),
    stop: () => pool.stop(),
  }
}

/** Hand-offs between processes run more code than cycles, and each path must have run some thousand times. */
const queueWarmUpMs = 2_000

/**
 * Has each process contend with itself, which gives more cycles in that time than contending with others. Near the server
 * all processes whose waiters queue share a processor, while those that poll sleep most of the time.
 */
export async function warmUpRivals<R extends Rival>(
  started: ReadonlyMap<R, Rivals>,
  processesOf: (rival: R) => number,
  { isTrial }: Plan,
  msOf = ({ waits }: Rival, processes: number): number =>
    waits === 'queueing' ? processes * queueWarmUpMs : warmUpMs,
): Promise<void> {
  for (const [rival, rivals] of isTrial ? [] : started) {
    const processes = processesOf(rival)
    const fromUs = nowUs()
    const order = { waiters: 20, fromUs, untilUs: fromUs + msOf(rival, processes) * 1_000 }
    const lock = (index: number): string => `warm-up of ${rival.library} ${index}`
    await rivals.contend(Array.from({ length: processes }, (_, index) => ({ lock: lock(index), ...order })))
  }
}

/** Waiters that are spread over processes. */
export interface Size {
  readonly waiters: number
  readonly processes: number
}

/** A window should contain this many hand-offs, but is never longer than the maximum. */
const wantedHandOffs = 20
const maxWindowMs = 500

/** The hand-offs of one lock. After a window with too few of them, the next one is longer. */
export function handOffsOf(
  rival: Rival,
  rivals: Rivals,
  size: Size,
  minWindowMs: number,
  at: Figure['at'] = { ...size },
): Subject & { cyclesIn(windowMs: number): Promise<{ readonly cycles: number }> } {
  const of = rival.library
  const contention = { lock: `${of}: ${size.waiters} in ${size.processes}`, ...size }
  let windowMs = minWindowMs
  return {
    of,
    at,
    async measure() {
      const { visits, window } = await contend(rivals, contention, windowMs)
      const seen = handOffsIn(visits, size.waiters, window)
      const neededMs = (wantedHandOffs * seen.usPerHandOff) / 1_000
      windowMs = Math.min(maxWindowMs, Math.max(minWindowMs, neededMs))
      return { ...seen }
    },
    async cyclesIn(windowMs) {
      const { visits } = await contend(rivals, contention, windowMs)
      return { cycles: visits.length }
    },
  }
}

/** By then, every process has received its order. */
const headStartMs = 30

/** Has the rivals contend; resolves with all visits once the last waiter has left, and the window in which they count. */
async function contend(
  rivals: Rivals,
  { lock, waiters, processes }: Size & { readonly lock: string },
  windowMs: number,
): Promise<{ readonly visits: Visit[]; readonly window: Window }> {
  const startUs = nowUs() + headStartMs * 1_000
  // So that every waiter is queued when the window begins.
  const fromUs = startUs + (70 + waiters / 5) * 1_000
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
