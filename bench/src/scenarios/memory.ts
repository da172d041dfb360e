import { setAndDelete } from '../adapters/floors.js'
import { holdfast, lock, semaphoreOf, writeLock } from '../adapters/holdfast.js'
import { titleOf, type Contender } from '../contender.js'
import type { About, Figure, Plan, Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import type { MemoryOrder } from '../tasks/memory.js'
import { withPool } from '../worker-pool.js'

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
  about: Pick<About, 'name' | 'title' | 'onlyByName'>,
  subjectsIn: (plan: Plan) => readonly Subject[],
): Scenario => ({
  ...about,
  compares: { what: 'heapBytes', lessIsBetter: true },
  floor: titleOf(setAndDelete),
  async run(plan) {
    const figures: Figure[] = []
    for (const { of, waitedFor } of plan.isTrial ? cases.slice(1, 2) : cases) {
      let floorBytes = NaN
      for (const { contender, load } of subjectsIn(plan)) {
        const count = plan.isTrial ? 100 : 10_000
        // In a new process and on a new server.
        const seen = await onRedis((servers) =>
          withPool(contender, servers, (pool) =>
            pool.one('memory', { url: servers.redis.url, load, count, waitedFor }),
          ),
        )
        if (load === 'floor') floorBytes = seen.heapBytes
        figures.push({
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
    [floor, { contender: holdfast, load: 'lock' } as const].filter(({ contender }) =>
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
    { contender: lock, load: 'lock' },
    { contender: writeLock, load: 'write lock' },
    { contender: semaphoreOf(1), load: 'semaphore' },
  ],
)
