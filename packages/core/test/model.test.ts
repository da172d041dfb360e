import { startRedis, type RedisServer } from '@holdfast/testkit'
import { describeExploration, exploreAndClose } from './model/explored.js'
import type { Exploration } from './model/explorer.js'
import { MachineRunner } from './model/memory/machine-runner.js'
import { loadMachine, readSources } from './model/memory/machine.js'
import { machineMistakes } from './model/memory/mistakes.js'
import { withMistake } from './model/mistake.js'
import { scriptMistakes } from './model/redis/mistakes.js'
import { lockLua, lockWire } from './model/redis/lock-wire.js'
import { ScriptRunner } from './model/redis/script-runner.js'
import type { Bounds } from './model/state.js'
import type { StepRunner } from './model/step-runner.js'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

const report: string[] = []

afterAll(() => {
  process.stdout.write(`${report.join('\n\n')}\n`)
})

/** Explores all within the bounds and closes the runner. `title` heads what is reported. */
async function exploreAll(title: string, runner: StepRunner, bounds: Bounds): Promise<Exploration> {
  const explored = await exploreAndClose(runner, bounds)
  report.push(`${title}: ${describeExploration(explored)}`)
  return explored
}

const subjects = {
  'the Lua scripts': ({ owners }: Bounds) => ScriptRunner.open(server.url, owners, lockWire, lockLua),
  'the memory engine': () => Promise.resolve(new MachineRunner()),
} as const

type Subject = keyof typeof subjects

const explorations = new Map<string, Promise<Exploration>>()

/** Explores a subject; the same again takes no time. */
function exploration(subject: Subject, bounds: Bounds): Promise<Exploration> {
  const title = `${subject}, ${JSON.stringify(bounds)}`
  const known = explorations.get(title)
  if (known) return known
  const explored = subjects[subject](bounds).then((runner) => exploreAll(title, runner, bounds))
  explorations.set(title, explored)
  return explored
}

const withoutForce: readonly Bounds[] = [
  { owners: 2, faults: 1 },
  { owners: 2, faults: 2, nesting: 1 },
  { owners: 3, faults: 0 },
  { owners: 3, faults: 1, nesting: 0 },
]

const withForce: readonly Bounds[] = [
  { owners: 2, faults: 1, forces: 1 },
  { owners: 3, faults: 0, forces: 1, nesting: 0 },
]

describe.each<Subject>(['the Lua scripts', 'the memory engine'])('every interleaving on %s', (subject) => {
  it.each(withoutForce)(
    'of $owners owners with at most $faults faults keeps all promises',
    async (bounds) => {
      const explored = await exploration(subject, bounds)
      expect(describeExploration(explored)).toMatch(/all promises hold$/)
      expect(explored.states).toBeGreaterThan(1_000)
    },
    300_000,
  )

  it.each(withForce)(
    'of $owners owners, $faults faults and a forced release keeps all promises, but for what concerns the evicted owner',
    async (bounds) => {
      const explored = await exploration(subject, bounds)
      expect(describeExploration(explored)).toMatch(/all promises hold$/)
      expect(explored.states).toBeGreaterThan(1_000)
    },
    300_000,
  )
})

it.each([...withoutForce, ...withForce])(
  'the memory engine reaches as many states, in as many ways, as the Lua scripts do: %j',
  async (bounds) => {
    const { states, transitions, runs } = await exploration('the Lua scripts', bounds)
    expect(await exploration('the memory engine', bounds)).toMatchObject({ states, transitions, runs })
  },
  300_000,
)

describe('the exploration catches a script that', () => {
  it.each(scriptMistakes)(
    '$mistake',
    async (mistake) => {
      const { bounds } = mistake
      const lua = withMistake(lockLua, mistake)
      const runner = await ScriptRunner.open(server.url, bounds.owners, lockWire, lua)
      const explored = await exploreAll(`A script that ${mistake.mistake}`, runner, bounds)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})

describe('the exploration catches a memory engine that', () => {
  it.each(machineMistakes)(
    '$mistake',
    async (mistake) => {
      const machine = await loadMachine(withMistake(await readSources(), mistake))
      const runner = new MachineRunner(machine)
      const explored = await exploreAll(`A memory engine that ${mistake.mistake}`, runner, mistake.bounds)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})
