import { startRedis, type RedisServer } from '@holdfast/testkit'
import { describeExploration, exploreAndClose } from './model/explored.js'
import type { Exploration } from './model/explorer.js'
import { withMistake } from './model/mistake.js'
import { ScriptRunner } from './model/redis/script-runner.js'
import { pairWithFault, resized, trio, trioWithFault } from './model/shared/bounds.js'
import { sharedMachineMistakes } from './model/shared/machine-mistakes.js'
import { loadSharedMachine, readSharedSources } from './model/shared/memory-machine.js'
import { SharedMachineRunner } from './model/shared/memory-runner.js'
import { sharedScriptMistakes } from './model/shared/script-mistakes.js'
import { sharedLua, sharedWire } from './model/shared/wire.js'
import type { Bounds, Shared } from './model/state.js'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

const report: string[] = []

afterAll(() => {
  process.stdout.write(`${report.join('\n\n')}\n`)
})

const openScripts = ({ owners }: Bounds, shared: Shared, lua = sharedLua) =>
  ScriptRunner.open(server.url, owners, sharedWire(shared), lua)

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

describe.each(explorations)(
  'every interleaving of $owners owners with at most $faults faults: $shared',
  (bounds) => {
    const { shared = { size: 1, wants: [] } } = bounds
    let onScripts: Exploration

    it('keeps all promises on the Lua scripts', async () => {
      onScripts = await exploreAndClose(await openScripts(bounds, shared), bounds)
      report.push(`${JSON.stringify(bounds)}: ${describeExploration(onScripts)}`)
      expect(describeExploration(onScripts)).toMatch(/all promises hold$/)
      expect(onScripts.states).toBeGreaterThan(1_000)
    }, 900_000)

    it('reaches as many states, in as many ways, on the memory engine', async () => {
      const explored = await exploreAndClose(new SharedMachineRunner(shared), bounds)
      const { states, transitions, runs } = onScripts
      expect(describeExploration(explored)).toMatch(/all promises hold$/)
      expect(explored).toMatchObject({ states, transitions, runs })
    }, 900_000)
  },
)

describe('the exploration catches a script that', () => {
  it.each(sharedScriptMistakes)(
    '$mistake',
    async (mistake) => {
      const { bounds } = mistake
      const { shared = { size: 1, wants: [] } } = bounds
      const runner = await openScripts(bounds, shared, withMistake(sharedLua, mistake))
      const explored = await exploreAndClose(runner, bounds)
      report.push(`A script that ${mistake.mistake}: ${describeExploration(explored)}`)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})

describe('the exploration catches a memory engine that', () => {
  it.each(sharedMachineMistakes)(
    '$mistake',
    async (mistake) => {
      const { bounds } = mistake
      const { shared = { size: 1, wants: [] } } = bounds
      const machine = await loadSharedMachine(withMistake(await readSharedSources(), mistake))
      const explored = await exploreAndClose(new SharedMachineRunner(shared, machine), bounds)
      report.push(`A memory engine that ${mistake.mistake}: ${describeExploration(explored)}`)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})
