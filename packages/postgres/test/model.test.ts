import { startPostgres, type PostgresServer } from '@holdfast/testkit'
import { describeExploration, exploreAndClose } from '../../core/test/model/explored.js'
import type { Exploration } from '../../core/test/model/explorer.js'
import { MachineRunner } from '../../core/test/model/memory/machine-runner.js'
import { withMistake } from '../../core/test/model/mistake.js'
import type { Bounds } from '../../core/test/model/state.js'
import { FunctionRunner } from './model/function-runner.js'
import { schemaParts } from './model/functions.js'
import { lockStore } from './model/lock-store.js'
import { functionMistakes } from './model/mistakes.js'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

const report: string[] = []

afterAll(() => {
  process.stdout.write(`${report.join('\n\n')}\n`)
})

const openFunctions = ({ owners }: Bounds, parts = schemaParts) =>
  FunctionRunner.open(server.url, owners, lockStore, parts)

const small: readonly Bounds[] = [
  { owners: 2, faults: 1, hasUpkeep: true },
  { owners: 2, faults: 1, nesting: 1, mayLoseData: true },
  { owners: 3, faults: 0, hasUpkeep: true },
  { owners: 2, faults: 0, forces: 1, hasUpkeep: true },
]

/** With `MODEL=large`: up to minutes each. */
const large: readonly Bounds[] = [
  { owners: 2, faults: 2, nesting: 1, hasUpkeep: true, mayLoseData: true },
  { owners: 2, faults: 1, forces: 1, hasUpkeep: true },
  { owners: 3, faults: 0, nesting: 0, forces: 1 },
  { owners: 3, faults: 1, nesting: 0, hasUpkeep: true, mayLoseData: true },
]

const explorations = process.env['MODEL'] === 'large' ? [...small, ...large] : small

describe.each(explorations)('every interleaving within %j', (bounds) => {
  let onServer: Exploration

  it('keeps all promises on the functions', async () => {
    onServer = await exploreAndClose(await openFunctions(bounds), bounds)
    report.push(`${JSON.stringify(bounds)}: ${describeExploration(onServer)}`)
    expect(describeExploration(onServer)).toMatch(/all promises hold$/)
    expect(onServer.states).toBeGreaterThan(1_000)
  }, 900_000)

  it('reaches as many states, in as many ways, on the memory engine', async () => {
    const explored = await exploreAndClose(new MachineRunner(), bounds)
    const { states, transitions, runs } = onServer
    expect(explored).toMatchObject({ states, transitions, runs, violation: null })
  }, 900_000)
})

describe('the exploration catches a function that', () => {
  it.each(functionMistakes)(
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
