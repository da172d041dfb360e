import { titleOf } from './contender.js'
import type { Crew } from './crew.js'
import type { Starter } from './field.js'
import type { Rivals } from './rivals.js'
import type { Plan } from './scenario.js'
import { nowUs } from './tasks/contend.js'

/** A service runs for days: what is measured is its compiled code. This is the processor's time for one process. */
const warmUpMs = 1_500
/** Going to and fro between processes is more code, and each of them must have gone its way some thousand times. */
const queueWarmUpMs = 2_000

/** Lets each crew of one process go in and out of locks of its own. */
export async function warmUp(crews: readonly Crew[], { isTrial }: Plan): Promise<void> {
  for (const crew of isTrial ? [] : crews) {
    const prefix = `warm-up of ${titleOf(crew.contender)}`
    await crew.all('cycles', () => ({ prefix, tasks: 50, forMs: warmUpMs }))
  }
}

/** How long processes near Redis contend. Those who poll sleep most of the time; all others share a processor. */
export const nearWarmUpMs = ({ kind }: Starter, processes: number): number =>
  kind === 'queue' ? processes * queueWarmUpMs : warmUpMs

/** Lets each process contend with itself, which it can do more often in that time than with others. */
export async function warmUpField(
  field: ReadonlyMap<Starter, Rivals>,
  processesOf: (starter: Starter) => number,
  msOf: (starter: Starter, processes: number) => number,
  { isTrial }: Plan,
): Promise<void> {
  for (const [starter, rivals] of isTrial ? [] : field) {
    const processes = processesOf(starter)
    const fromUs = nowUs()
    const order = { waiters: 20, fromUs, untilUs: fromUs + msOf(starter, processes) * 1_000 }
    const lock = (index: number): string => `warm-up of ${rivals.title} ${index}`
    await rivals.contend(Array.from({ length: processes }, (_, index) => ({ lock: lock(index), ...order })))
  }
}
