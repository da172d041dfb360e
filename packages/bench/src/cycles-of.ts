import { titleOf } from './contender.js'
import type { WorkerPool } from './worker-pool.js'
import type { Pace } from './tasks/cycles.js'

/** Runs cycles in a pool of one process, with `tasks` tasks at once, each on its own lock. */
export async function cyclesOf(
  pool: WorkerPool,
  { tasks, forMs }: { readonly tasks: number; readonly forMs: number },
): Promise<Pace> {
  const [pace] = await pool.all('cycles', () => ({ prefix: titleOf(pool.contender), tasks, forMs }))
  if (!pace) throw new Error(`${titleOf(pool.contender)} has no process`)
  return pace
}
