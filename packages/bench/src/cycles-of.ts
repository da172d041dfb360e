import { titleOf } from './contender.js'
import type { Crew } from './crew.js'
import type { Pace } from './tasks/cycles.js'

/** Has a crew of one process go in and out, by so many locks of its own at once. */
export async function cyclesOf(
  crew: Crew,
  { tasks, forMs }: { readonly tasks: number; readonly forMs: number },
): Promise<Pace> {
  const [pace] = await crew.all('cycles', () => ({ prefix: titleOf(crew.contender), tasks, forMs }))
  if (!pace) throw new Error(`${titleOf(crew.contender)} has no process`)
  return pace
}
