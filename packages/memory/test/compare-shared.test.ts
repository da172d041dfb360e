import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import fc from 'fast-check'
import { MemoryShared } from './compare/memory-shared.js'
import { differenceBetween, story } from './compare/observation.js'
import { RedisSequences } from './compare/redis-sequences.js'
import { redisShared } from './compare/redis-shared.js'
import { sharedSequence, type SharedStep } from './compare/shared-step.js'
import { describeStep, owners } from './compare/step.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const sequences = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? 3_000)

let redis: RedisSequences<SharedStep>

beforeAll(async () => {
  redis = await RedisSequences.open(sharedRedisUrl(), owners, redisShared)
})

afterAll(() => redis.close())

let stepCount = 0

/** Runs the steps on both and throws at the first that differ, with all steps up to there. */
async function compare(steps: readonly SharedStep[]): Promise<void> {
  const memory = new MemoryShared()
  const onRedis = await redis.run(uniqueName('compare'), steps)
  onRedis.forEach((observed, i) => {
    const step = steps[i]
    const difference = step && differenceBetween(observed, memory.run(step, observed.ttlMs['the queue']))
    if (difference) throw new Error(`step ${i + 1} differs:${difference}\n${story(steps, i, describeStep)}`)
  })
  stepCount += steps.length
}

it('a read/write lock or semaphore in memory does what the scripts do on Redis, whatever the steps', async () => {
  await fc.assert(fc.asyncProperty(sharedSequence, compare), { numRuns: sequences })
  expect(stepCount).toBeGreaterThan(sequences)
}, 3_600_000)
