import { titleOf, type Contender } from '../contender.js'
import { holdfast } from '../contenders/holdfast.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { lock, semaphoreOf, writeLock } from '../contenders/shared-objects.js'
import type { Figure } from '../figure.js'
import type { Plan, Scenario } from '../scenario.js'
import type { MemoryOrder, MemoryUse } from '../tasks/memory.js'
import { withWorkerPools } from '../with-worker-pools.js'

const cases = [
  { of: 'held lock', waitedFor: 0 },
  { of: 'waiter', waitedFor: 1 },
  { of: 'waiter', waitedFor: 1_000 },
]

interface Subject {
  readonly contender: Contender
  readonly load: MemoryOrder['load']
}

const floor: Subject = { contender: setAndDelete, load: 'floor' }

/**
 * What one held lock and one waiter take, in the client and at the server.
 *
 * The floor keeps names and tokens of held locks in a map, and its waiters are promises in a map and ids in a list.
 * Measured once: after a garbage collection the heap is the same in every run.
 */
const weighing = (
  about: Pick<Scenario, 'name' | 'title' | 'onlyByName'>,
  subjectsIn: (plan: Plan) => readonly Subject[],
): Scenario => ({
  ...about,
  compares: { what: 'heapBytes', lessIsBetter: true },
  floor: titleOf(setAndDelete),
  async run(plan) {
    const figures: Figure[] = []
    for (const { of, waitedFor } of cases) {
      let floorBytes = NaN
      for (const { contender, load } of subjectsIn(plan)) {
        const count = plan.isTrial ? 100 : 10_000
        const seen = await weighOne(contender, { load, count, waitedFor })
        if (load === 'floor') floorBytes = seen.heapBytes
        figures.push({
          scenario: about.name,
          of: titleOf(contender),
          at: { what: of, count, locks: waitedFor || count },
          seen: { ...seen, bytesBeyondFloor: seen.heapBytes - floorBytes },
        })
      }
    }
    return figures
  },
})

export const memory = weighing(
  { name: 'memory', title: 'Memory of one held lock, and of one waiter' },
  ({ contenders }) =>
    [floor, { contender: holdfast, load: 'holdfast' } as const].filter(({ contender }) =>
      contenders.includes(contender),
    ),
)

export const sharedMemory = weighing(
  {
    name: 'shared-memory',
    title: 'Memory of one held write lock or permit, and of one waiter',
    onlyByName: true,
  },
  () => [
    floor,
    { contender: lock, load: 'holdfast' },
    { contender: writeLock, load: 'write lock' },
    { contender: semaphoreOf(1), load: 'semaphore' },
  ],
)

/** In a new process and on a new server. */
function weighOne(contender: Contender, order: Omit<MemoryOrder, 'url'>): Promise<MemoryUse> {
  return withWorkerPools([contender], 1, async ([pool], { url }) => {
    const [seen] = (await pool?.all('memory', () => ({ ...order, url }))) ?? []
    if (!seen) throw new Error('no process returned a measurement')
    return seen
  })
}
