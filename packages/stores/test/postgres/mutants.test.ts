import { describeExploration, explore, ownersOf } from '@holdfast/model'
import { formerSurvivors, tryMutants, type Mutant } from '@holdfast/mutants'
import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { brokenPromises } from './mutants/broken-promises.js'
import { PostgresKillers } from './mutants/postgres-killers.js'
import { partsWith, postgresMutants } from './mutants/postgres-mutants.js'
import { postgresLock } from './steps/postgres-lock.js'
import { postgresShared } from './steps/postgres-shared.js'
import { PostgresStore } from './steps/postgres-store.js'

const mutants = postgresMutants()

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
    tryMutants({ engine: 'postgres', mutants, killersOf: (mutant) => killers.of(mutant) }),
  )
  expect(wrong).toEqual([])
}, 36_000_000)

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
