import { isDeepStrictEqual } from 'node:util'
import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import fc from 'fast-check'
import { latchSequence, type LatchObservation, type LatchStep } from './compare/latch-step.js'
import { MemoryLatch } from './compare/memory-latch.js'
import { RedisLatch } from './compare/redis-latch.js'

const sequences = 400

/** Times to live may differ by this part: Redis extends them only when a hundredth of them has passed. */
const tolerance = 0.05

let redis: RedisLatch

beforeAll(async () => {
  redis = await RedisLatch.open(sharedRedisUrl())
})

afterAll(() => redis.close())

function isSame(a: LatchObservation, b: LatchObservation): boolean {
  const { ttlMs: ours, ...rest } = a
  const { ttlMs: theirs, ...others } = b
  return isDeepStrictEqual(rest, others) && Math.abs(ours - theirs) <= tolerance * Math.abs(ours)
}

/** Runs the steps on both and throws at the first that differ, with all steps up to there. */
async function compare(steps: readonly LatchStep[]): Promise<void> {
  const memory = new MemoryLatch()
  const onRedis = await redis.run(uniqueName('latch'), steps)
  onRedis.forEach((observed, i) => {
    const step = steps[i]
    const inMemory = step && memory.run(step)
    if (!inMemory || isSame(observed, inMemory)) return
    const story = steps.slice(0, i + 1).map((each) => JSON.stringify(each))
    const both = `\n  Redis  ${JSON.stringify(observed)}\n  memory ${JSON.stringify(inMemory)}`
    throw new Error(`step ${i + 1} differs:${both}\n${story.join('\n')}`)
  })
}

it('a latch in memory does what the scripts do on Redis, whatever the steps', async () => {
  await fc.assert(fc.asyncProperty(latchSequence, compare), { numRuns: sequences })
}, 60_000)
