import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { describeExploration, exploreAndClose } from '../../core/test/model/explored.js'
import type { Exploration } from '../../core/test/model/explorer.js'
import { withMistake } from '../../core/test/model/mistake.js'
import { pairWithFault, resized, trio, trioWithFault } from '../../core/test/model/shared/bounds.js'
import { SharedMachineRunner } from '../../core/test/model/shared/memory-runner.js'
import type { Bounds } from '../../core/test/model/state.js'
import { FunctionRunner } from './model/function-runner.js'
import { schemaParts } from './model/functions.js'
import { sharedFunctionMistakes } from './model/shared-mistakes.js'
import { sharedStore } from './model/shared-store.js'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const report: string[] = []

afterAll(() => {
  process.stdout.write(`${report.join('\n\n')}\n`)
})

const sharedOf = ({ shared = { size: 1, wants: [] } }: Bounds) => shared

const openFunctions = (bounds: Bounds, parts = schemaParts) =>
  FunctionRunner.open(server.url, bounds.owners, sharedStore(sharedOf(bounds)), parts)

async function exploreFunctions(bounds: Bounds): Promise<Exploration> {
  const explored = await exploreAndClose(await openFunctions(bounds), bounds)
  report.push(`${JSON.stringify(bounds)}: ${describeExploration(explored)}`)
  return explored
}

const small: readonly Bounds[] = [pairWithFault, trio, resized]

/** With `MODEL=large`: minutes each. */
const large: readonly Bounds[] = [
  trioWithFault,
  { owners: 2, faults: 1, shared: { size: 3, wants: [3, 1] } },
  { owners: 2, faults: 1, forces: 1, shared: { size: 2, wants: [2, 1] } },
  { owners: 3, faults: 0, shared: { size: 3, wants: [2, 1, 1], resizes: [1, 3] } },
]

const explorations = process.env['MODEL'] === 'large' ? [...small, ...large] : small

describe.each(explorations)('every interleaving of a shared object within %j', (bounds) => {
  let onServer: Exploration

  it('keeps all promises on the functions', async () => {
    onServer = await exploreFunctions(bounds)
    expect(describeExploration(onServer)).toMatch(/all promises hold$/)
    expect(onServer.states).toBeGreaterThan(1_000)
  }, 900_000)

  it('reaches as many states, in as many ways, on the memory engine', async () => {
    const explored = await exploreAndClose(new SharedMachineRunner(sharedOf(bounds)), bounds)
    const { states, transitions, runs } = onServer
    expect(explored).toMatchObject({ states, transitions, runs, violation: null })
  }, 900_000)
})

it('sweeps at any time, and a crash that empties the tables, break no promise of a shared object', async () => {
  for (const more of [{ hasUpkeep: true }, { mayLoseData: true }]) {
    const explored = await exploreFunctions({ ...pairWithFault, ...more })
    expect(describeExploration(explored)).toMatch(/all promises hold$/)
  }
}, 900_000)

describe('the exploration catches a function of shared objects that', () => {
  it.each(sharedFunctionMistakes)(
    '$mistake',
    async (mistake) => {
      const { bounds } = mistake
      const runner = await openFunctions(bounds, withMistake(schemaParts, mistake))
      const explored = await exploreAndClose(runner, bounds)
      report.push(`A function that ${mistake.mistake}: ${describeExploration(explored)}`)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})
