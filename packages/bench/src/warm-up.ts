import { titleOf } from './contender.js'
import type { WorkerPool } from './worker-pool.js'
import type { Starter } from './starters.js'
import type { Rivals } from './rivals.js'
import type { Plan } from './scenario.js'
import { nowUs } from './tasks/contend.js'

/** A service runs for days, so its compiled code is what counts. This is the CPU time for one process. */
const warmUpMs = 1_500
/** Hand-offs between processes run more code, and each path must have run some thousand times. */
const queueWarmUpMs = 2_000

/** Runs cycles in each pool of one process, on its own locks. */
export async function warmUp(pools: readonly WorkerPool[], { isTrial }: Plan): Promise<void> {
  for (const pool of isTrial ? [] : pools) {
    const prefix = `warm-up of ${titleOf(pool.contender)}`
    await pool.all('cycles', () => ({ prefix, tasks: 50, forMs: warmUpMs }))
  }
}

/** How long processes near Redis contend. Pollers sleep most of the time; all others share a processor. */
export const nearWarmUpMs = ({ kind }: Starter, processes: number): number =>
  kind === 'queue' ? processes * queueWarmUpMs : warmUpMs

/** Has each process contend with itself, which gives more cycles in that time than contending with others. */
export async function warmUpRivals(
  rivalsByStarter: ReadonlyMap<Starter, Rivals>,
  processesOf: (starter: Starter) => number,
  msOf: (starter: Starter, processes: number) => number,
  { isTrial }: Plan,
): Promise<void> {
  for (const [starter, rivals] of isTrial ? [] : rivalsByStarter) {
    const processes = processesOf(starter)
    const fromUs = nowUs()
    const order = { waiters: 20, fromUs, untilUs: fromUs + msOf(starter, processes) * 1_000 }
    const lock = (index: number): string => `warm-up of ${rivals.title} ${index}`
    await rivals.contend(Array.from({ length: processes }, (_, index) => ({ lock: lock(index), ...order })))
  }
}
