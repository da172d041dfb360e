import {
  compareAll,
  comparedOwners,
  compareLocks,
  describeExploration,
  explore,
  handedOver,
  handedOverWithFault,
  lockKind,
  lockSequence,
  MemoryStore,
  ownersOf,
  withMistake,
  type Bounds,
  type Exploration,
  type ExploredStore,
} from '@holdfast/model'
import { isFullMatrix } from '@holdfast/testkit'
import { lockDesignMistakes } from './steps/design-mistakes.js'
import { redisLock } from './steps/redis-lock.js'
import { RedisLocks } from './steps/redis-locks.js'
import { RedisStore } from './steps/redis-store.js'
import { luaOf } from './steps/server.js'
import { ownRedis } from './support/own-redis.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const sequences = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? 2_000)

const server = ownRedis()

const report: string[] = []

afterAll(() => process.stdout.write(`${report.join('\n\n')}\n`))

/** Explores all within the bounds on these scripts. `title` heads what is reported. */
async function exploreScripts(
  title: string,
  bounds: Bounds,
  lua = luaOf(redisLock.scripts),
  reference?: ExploredStore<string>,
): Promise<Exploration> {
  const store = await RedisStore.open(server.url, redisLock, ownersOf(bounds), lua)
  const explored = await explore(store, bounds, reference)
  report.push(`${title}: ${describeExploration(explored)}`)
  return explored
}

/** With a forced release: all promises but those to the owner that was evicted. */
const small: readonly Bounds[] = [
  { owners: 2, faults: 1 },
  { owners: 3, faults: 0 },
  { owners: 3, faults: 0, forces: 1, nesting: 0 },
  handedOver,
  handedOverWithFault,
]

/** A minute each. */
const large: readonly Bounds[] = [
  { owners: 2, faults: 2, nesting: 1 },
  { owners: 3, faults: 1, nesting: 0 },
  { owners: 2, faults: 1, forces: 1 },
]

it.each(isFullMatrix ? [...small, ...large] : small)(
  'every interleaving within %j keeps all promises, on the scripts and in memory',
  async (bounds) => {
    const inMemory = new MemoryStore(lockKind(), { owners: ownersOf(bounds) })
    const explored = await exploreScripts(JSON.stringify(bounds), bounds, undefined, inMemory)
    expect(describeExploration(explored)).toMatch(/all promises hold$/)
    expect(explored.states).toBeGreaterThan(1_000)
  },
  900_000,
)

describe('the exploration catches a script that', () => {
  it.each(lockDesignMistakes)(
    '$mistake',
    async (mistake) => {
      const lua = withMistake(luaOf(redisLock.scripts), mistake)
      const explored = await exploreScripts(`A script that ${mistake.mistake}`, mistake.bounds, lua)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})

it('a lock in memory does what the scripts do on Redis, whatever the steps', async () => {
  const store = await RedisStore.open(server.url, redisLock, comparedOwners)
  const reference = () => new MemoryStore(lockKind())
  await compareAll({ store, reference, keepsQueueLonger: true }, lockSequence, { runs: sequences })
}, 3_600_000)

it('several locks in memory are acquired as the script does it on Redis, whatever the steps', async () => {
  await compareLocks(await RedisLocks.open(server.url), { runs: 600 })
})
