import {
  compareAll,
  comparedOwners,
  describeExploration,
  explore,
  MemoryStore,
  ownersOf,
  pairWithFault,
  resized,
  sharedKind,
  sharedSequence,
  trio,
  trioWithFault,
  withMistake,
  type Bounds,
  type Exploration,
  type ExploredStore,
} from '@holdfast/model'
import { sharedDesignMistakes } from './steps/design-mistakes.js'
import { redisShared } from './steps/redis-shared.js'
import { RedisStore } from './steps/redis-store.js'
import { luaOf } from './steps/server.js'
import { ownRedis } from './support/own-redis.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const sequences = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? 1_200)

const server = ownRedis()

const report: string[] = []

afterAll(() => process.stdout.write(`${report.join('\n\n')}\n`))

/** Explores all within the bounds on these scripts. `title` heads what is reported. */
async function exploreScripts(
  title: string,
  bounds: Bounds,
  lua = luaOf(redisShared.scripts),
  reference?: ExploredStore<string>,
): Promise<Exploration> {
  const store = await RedisStore.open(server.url, redisShared, ownersOf(bounds), lua)
  const explored = await explore(store, bounds, reference)
  report.push(`${title}: ${describeExploration(explored)}`)
  return explored
}

const small: readonly Bounds[] = [pairWithFault, trio, resized]

/** With `MODEL=large`: minutes each. */
const large: readonly Bounds[] = [
  trioWithFault,
  { owners: 4, faults: 0, shared: { size: 2, wants: [2, 1, 1, 2] } },
  { owners: 2, faults: 1, shared: { size: 3, wants: [3, 1] } },
  { owners: 2, faults: 1, forces: 1, shared: { size: 2, wants: [2, 1] } },
  { owners: 3, faults: 0, shared: { size: 3, wants: [2, 1, 1], resizes: [1, 3] } },
]

const explorations = process.env['MODEL'] === 'large' ? [...small, ...large] : small

it.each(explorations)(
  'every interleaving within %j keeps all promises, on the scripts and in memory',
  async (bounds) => {
    const inMemory = new MemoryStore(sharedKind(), { owners: ownersOf(bounds) })
    const explored = await exploreScripts(JSON.stringify(bounds), bounds, undefined, inMemory)
    expect(describeExploration(explored)).toMatch(/all promises hold$/)
    expect(explored.states).toBeGreaterThan(1_000)
  },
  900_000,
)

describe('the exploration catches a script that', () => {
  it.each(sharedDesignMistakes)(
    '$mistake',
    async (mistake) => {
      const lua = withMistake(luaOf(redisShared.scripts), mistake)
      const explored = await exploreScripts(`A script that ${mistake.mistake}`, mistake.bounds, lua)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})

it('a read/write lock or semaphore in memory does what the scripts do on Redis, whatever the steps', async () => {
  const store = await RedisStore.open(server.url, redisShared, comparedOwners)
  const reference = () => new MemoryStore(sharedKind())
  const comparison = { store, reference, keepsQueueLonger: true, missesEnds: true }
  await compareAll(comparison, sharedSequence, { runs: sequences })
}, 3_600_000)
