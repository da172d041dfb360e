import { describeExploration, explore, ownersOf } from '@holdfast/model'
import { formerSurvivors, hunt, tryMutants, type Mutant } from '@holdfast/mutants'
import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { brokenPromises, latchMistakes } from './mutants/broken-promises.js'
import { PostgresKillers } from './mutants/postgres-killers.js'
import { isOfLatch, partsWith, postgresMutants } from './mutants/postgres-mutants.js'
import { postgresLock } from './steps/postgres-lock.js'
import { postgresShared } from './steps/postgres-shared.js'
import { PostgresStore } from './steps/postgres-store.js'

const mutants = postgresMutants()

// The survivors of latches are not listed yet.
const asksForLatches = process.env['HOLDFAST_MUTANTS_FILE']?.startsWith('latch_') ?? false
const tried = mutants.filter((mutant) => isOfLatch(mutant) === asksForLatches)

function mutantOf(id: string): Mutant {
  const mutant = mutants.find((each) => each.id === id)
  if (!mutant) throw new Error('no such mistake can be made')
  return mutant
}

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres({
    settings: {
      // A loop that does not end is told from one that does.
      statement_timeout: '5s',
      client_connection_check_interval: '100ms',
      // The rows of all cases before this one would otherwise be in the way.
      autovacuum_naptime: '1s',
      autovacuum_vacuum_cost_delay: '0',
    },
  })
})

afterAll(() => server.stop())

async function tryOn<T>(use: (killers: PostgresKillers) => Promise<T>): Promise<T> {
  const killers = await PostgresKillers.open(server.url)
  try {
    return await use(killers)
  } finally {
    await killers.close()
  }
}

it('every survivor that is listed names a mistake that can be made', () =>
  expect(formerSurvivors('postgres', mutants)).toEqual([]))

it('mistakes in the functions are found, or listed with the reason why they do no harm', async () => {
  const wrong = await tryOn((killers) =>
    tryMutants({ engine: 'postgres', mutants: tried, killersOf: (mutant) => killers.of(mutant) }),
  )
  expect(wrong).toEqual([])
}, 36_000_000)

it.each(latchMistakes)('a mistake in the functions of latches is found: %s', async (id) => {
  const found = await tryOn(async (all) => {
    const killers = await all.of(mutantOf(id))
    return typeof killers === 'string' ? killers : await hunt(killers)
  })
  expect(found).toMatchObject({ kind: 'killed' })
})

it.each(brokenPromises)(
  'the exploration shows the promise %s broken: %s',
  async (promise, id, bounds) => {
    const mutant = mutants.find((each) => each.id === id)
    if (!mutant) throw new Error('no such mistake can be made')
    const kind = bounds.shared ? postgresShared : postgresLock
    const store = await PostgresStore.open(server.url, kind, ownersOf(bounds), partsWith(mutantOf(id)))
    const explored = await explore(store, bounds)
    expect(`${explored.violation?.promise}: ${describeExploration(explored)}`).toContain(`${promise}:`)
  },
  60_000,
)
