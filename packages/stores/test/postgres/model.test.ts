import {
  compareAll,
  comparedOwners,
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
import { isFullMatrix, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { lockDesignMistakes } from './steps/design-mistakes.js'
import { schemaParts } from './steps/functions.js'
import { lockExamples } from './steps/lock-examples.js'
import { postgresLock } from './steps/postgres-lock.js'
import { PostgresStore } from './steps/postgres-store.js'

/** More of them: HOLDFAST_COMPARE_SEQUENCES. */
const sequences = Number(process.env['HOLDFAST_COMPARE_SEQUENCES'] ?? (isFullMatrix ? 500 : 150))

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const report: string[] = []

afterAll(() => process.stdout.write(`${report.join('\n\n')}\n`))

/** Explores all within the bounds on the functions of these parts. `title` heads what is reported. */
async function exploreFunctions(
  title: string,
  bounds: Bounds,
  parts = schemaParts,
  reference?: ExploredStore<string>,
): Promise<Exploration> {
  const store = await PostgresStore.open(server.url, postgresLock, ownersOf(bounds), parts)
  const explored = await explore(store, bounds, reference)
  report.push(`${title}: ${describeExploration(explored)}`)
  return explored
}

/** The model on Redis explores the same in full. */
const few: readonly Bounds[] = [
  { owners: 2, faults: 1, hasUpkeep: true },
  { owners: 2, faults: 1, nesting: 1, mayLoseData: true },
  handedOver,
]

const small: readonly Bounds[] = [
  ...few,
  { owners: 3, faults: 0, hasUpkeep: true },
  { owners: 2, faults: 0, forces: 1, hasUpkeep: true },
  handedOverWithFault,
]

/** With `MODEL=large`: up to minutes each. */
const large: readonly Bounds[] = [
  { owners: 2, faults: 2, nesting: 1, hasUpkeep: true, mayLoseData: true },
  { owners: 2, faults: 1, forces: 1, hasUpkeep: true },
  { owners: 3, faults: 0, nesting: 0, forces: 1 },
  { owners: 3, faults: 1, nesting: 0, hasUpkeep: true, mayLoseData: true },
]

const explorations = process.env['MODEL'] === 'large' ? [...small, ...large] : isFullMatrix ? small : few

it.each(explorations)(
  'every interleaving within %j keeps all promises, on the functions and in memory',
  async (bounds) => {
    const inMemory = new MemoryStore(lockKind(), { owners: ownersOf(bounds) })
    const explored = await exploreFunctions(JSON.stringify(bounds), bounds, undefined, inMemory)
    expect(describeExploration(explored)).toMatch(/all promises hold$/)
    expect(explored.states).toBeGreaterThan(1_000)
  },
  900_000,
)

describe('the exploration catches a function that', () => {
  it.each(isFullMatrix ? lockDesignMistakes : lockDesignMistakes.filter((_, n) => n % 4 === 0))(
    '$mistake',
    async (mistake) => {
      const parts = withMistake(schemaParts, mistake)
      const title = `A function that ${mistake.mistake}`
      const explored = await exploreFunctions(title, mistake.bounds, parts)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})

it('the functions do what a lock in memory does, whatever the steps', async () => {
  const store = await PostgresStore.open(server.url, postgresLock, comparedOwners)
  const reference = () => new MemoryStore(lockKind())
  await compareAll({ store, reference }, lockSequence, { examples: lockExamples, runs: sequences })
}, 3_600_000)
