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
import { isFullMatrix, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { sharedDesignMistakes } from './steps/design-mistakes.js'
import { schemaParts } from './steps/functions.js'
import { postgresShared } from './steps/postgres-shared.js'
import { PostgresStore } from './steps/postgres-store.js'
import { sharedExamples } from './steps/shared-examples.js'

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
  const store = await PostgresStore.open(server.url, postgresShared, ownersOf(bounds), parts)
  const explored = await explore(store, bounds, reference)
  report.push(`${title}: ${describeExploration(explored)}`)
  return explored
}

/** The model on Redis explores the same in full. */
const few: readonly Bounds[] = [pairWithFault, resized]
const small: readonly Bounds[] = [...few, trio]

/** With `MODEL=large`: minutes each. */
const large: readonly Bounds[] = [
  trioWithFault,
  { owners: 2, faults: 1, shared: { size: 3, wants: [3, 1] } },
  { owners: 2, faults: 1, forces: 1, shared: { size: 2, wants: [2, 1] } },
  { owners: 3, faults: 0, shared: { size: 3, wants: [2, 1, 1], resizes: [1, 3] } },
]

const explorations = process.env['MODEL'] === 'large' ? [...small, ...large] : isFullMatrix ? small : few

it.each(explorations)(
  'every interleaving of a shared object within %j keeps all promises, on the functions and in memory',
  async (bounds) => {
    const inMemory = new MemoryStore(sharedKind(), { owners: ownersOf(bounds) })
    const explored = await exploreFunctions(JSON.stringify(bounds), bounds, undefined, inMemory)
    expect(describeExploration(explored)).toMatch(/all promises hold$/)
    expect(explored.states).toBeGreaterThan(1_000)
  },
  900_000,
)

// Rows of locks, which are swept and lost in the same way, are always explored: model.test.ts.
if (isFullMatrix)
  it('sweeps at any time, and a crash that empties the tables, break no promise of a shared object', async () => {
    for (const more of [{ hasUpkeep: true }, { mayLoseData: true }]) {
      const bounds = { ...pairWithFault, ...more }
      const explored = await exploreFunctions(JSON.stringify(bounds), bounds)
      expect(describeExploration(explored)).toMatch(/all promises hold$/)
    }
  }, 900_000)

describe('the exploration catches a function of shared objects that', () => {
  it.each(sharedDesignMistakes)(
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

it('they do what a read/write lock or semaphore in memory does, whatever the steps', async () => {
  const store = await PostgresStore.open(server.url, postgresShared, comparedOwners)
  const reference = () => new MemoryStore(sharedKind())
  // PostgreSQL evicts nothing.
  const sequence = sharedSequence
    .map((steps) => steps.filter(({ kind }) => kind !== 'evict'))
    .filter(({ length }) => length > 0)
  await compareAll({ store, reference }, sequence, { examples: sharedExamples, runs: sequences })
}, 3_600_000)
