import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import fc from 'fast-check'
import {
  describeSteps,
  differenceBetween,
  MemoryLocks,
  sequence,
  type Step,
} from './compare-many/memory-locks.js'
import { LocksOnRedis } from './compare-many/locks-on-redis.js'

const sequences = 600

let redis: LocksOnRedis

beforeAll(() => {
  redis = new LocksOnRedis(sharedRedisUrl())
})

afterAll(() => {
  redis.close()
})

/** Runs the steps on both and throws at the first that differ, with all steps up to there. */
async function compare(steps: readonly Step[]): Promise<void> {
  const memory = new MemoryLocks()
  const onRedis = await redis.run(uniqueName('compare-many'), steps)
  onRedis.forEach((observed, i) => {
    const step = steps[i]
    const difference = step && differenceBetween(observed, memory.run(step))
    if (difference)
      throw new Error(`step ${i + 1} differs:${difference}\n${describeSteps(steps.slice(0, i + 1))}`)
  })
}

it('several locks in memory are acquired as the script does it on Redis, whatever the steps', async () => {
  await fc.assert(fc.asyncProperty(sequence, compare), { numRuns: sequences })
}, 60_000)
