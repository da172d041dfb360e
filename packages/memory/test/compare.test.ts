import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import fc from 'fast-check'
import { MemoryLock } from './compare/memory-lock.js'
import { differenceBetween, story } from './compare/observation.js'
import { redisLock } from './compare/redis-lock.js'
import { RedisSequences } from './compare/redis-sequences.js'
import { describeStep, owners, sequence, type Step } from './compare/step.js'

const sequences = 5_000

let redis: RedisSequences<Step>

beforeAll(async () => {
  redis = await RedisSequences.open(sharedRedisUrl(), owners, redisLock)
})

afterAll(() => redis.close())

/** Runs the steps on both and throws at the first that differ, with all steps up to there. */
async function compare(steps: readonly Step[]): Promise<void> {
  const memory = new MemoryLock()
  const onRedis = await redis.run(uniqueName('compare'), steps)
  onRedis.forEach((observed, i) => {
    const step = steps[i]
    const difference = step && differenceBetween(observed, memory.run(step, observed.ttlMs['the queue']))
    if (difference) throw new Error(`step ${i + 1} differs:${difference}\n${story(steps, i, describeStep)}`)
  })
}

it('a lock in memory does what the scripts do on Redis, whatever the steps', async () => {
  await fc.assert(fc.asyncProperty(sequence, compare), { numRuns: sequences })
}, 120_000)
