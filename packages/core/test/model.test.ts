import { startRedis, type RedisServer } from '@holdfast/testkit'
import { explore, type Exploration } from './model/explorer.js'
import { withMistake } from './model/mistake.js'
import { promises } from './model/problem.js'
import { scriptMistakes } from './model/redis/mistakes.js'
import { realLua, ScriptRunner, type Lua } from './model/redis/script-runner.js'
import type { Bounds } from './model/state.js'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

afterAll(() => server.stop())

async function exploreAll(bounds: Bounds, lua: Lua = realLua): Promise<Exploration> {
  const runner = await ScriptRunner.open(server.url, bounds.owners, lua)
  try {
    return await explore(runner, bounds)
  } finally {
    await runner.close()
  }
}

/** How much was visited, and a shortest way to the violation, if there is one. */
function describeExploration({ states, transitions, runs, violation }: Exploration): string {
  const size = `${states} states, ${transitions} transitions, ${runs} steps run`
  if (!violation) return `${size}: all promises hold`
  const trace = violation.trace.map((line, i) => `${String(i + 1).padStart(3)}  ${line}`)
  return [`${size}: ${promises[violation.promise]}: ${violation.detail}`, ...trace].join('\n')
}

const report: string[] = []

afterAll(() => {
  process.stdout.write(`${report.join('\n\n')}\n`)
})

describe('every interleaving on the real scripts', () => {
  it.each<Bounds>([
    { owners: 2, faults: 1 },
    { owners: 2, faults: 2, nesting: 1 },
    { owners: 3, faults: 0 },
    { owners: 3, faults: 1, nesting: 0 },
  ])(
    'of $owners owners with at most $faults faults keeps all promises',
    async (bounds) => {
      const explored = await exploreAll(bounds)
      const text = describeExploration(explored)
      report.push(`${JSON.stringify(bounds)}: ${text}`)
      expect(text).toMatch(/all promises hold$/)
      expect(explored.states).toBeGreaterThan(1_000)
    },
    300_000,
  )

  it.each<Bounds>([
    { owners: 2, faults: 1, forces: 1 },
    { owners: 3, faults: 0, forces: 1, nesting: 0 },
  ])(
    'of $owners owners, $faults faults and a forced release keeps all promises, but for what concerns the evicted owner',
    async (bounds) => {
      const explored = await exploreAll(bounds)
      const text = describeExploration(explored)
      report.push(`${JSON.stringify(bounds)}: ${text}`)
      expect(text).toMatch(/all promises hold$/)
    },
    300_000,
  )
})

describe('the exploration catches a script that', () => {
  it.each(scriptMistakes)(
    '$mistake',
    async (mistake) => {
      const explored = await exploreAll(mistake.bounds, withMistake(realLua, mistake))
      report.push(`A script that ${mistake.mistake}: ${describeExploration(explored)}`)
      expect(explored.violation?.promise).toBe(mistake.breaks)
    },
    60_000,
  )
})
