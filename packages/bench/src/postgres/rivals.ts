import type { Contender } from '../contender.js'
import { rivalsInNode, type Rivals } from '../rivals.js'
import type { Plan } from '../scenario.js'
import { nowUs } from '../tasks/contend.js'
import type { Servers } from './servers.js'

const warmUpMs = 1_500

/** Starts so many processes of each contender, runs the callback with them, and stops them. */
export async function withRivalsOn<T>(
  { urlOf }: Servers,
  contenders: readonly Contender[],
  processes: number,
  use: (rivalsOf: ReadonlyMap<Contender, Rivals>) => Promise<T>,
): Promise<T> {
  const rivalsOf = new Map<Contender, Rivals>()
  try {
    for (const contender of contenders) {
      rivalsOf.set(contender, await rivalsInNode(contender, urlOf(contender), processes))
    }
    return await use(rivalsOf)
  } finally {
    await Promise.all([...rivalsOf.values()].map((rivals) => rivals.stop()))
  }
}

/** Has each process contend with itself. */
export async function warmUpOn(
  rivalsOf: ReadonlyMap<Contender, Rivals>,
  processes: number,
  { isTrial }: Plan,
): Promise<void> {
  for (const rivals of isTrial ? [] : rivalsOf.values()) {
    const fromUs = nowUs()
    const order = { waiters: 10, fromUs, untilUs: fromUs + processes * warmUpMs * 1_000 }
    const lockOf = (index: number): string => `warm-up ${index}`
    await rivals.contend(Array.from({ length: processes }, (_, n) => ({ lock: lockOf(n), ...order })))
  }
}
