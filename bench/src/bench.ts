// pnpm bench: compares Holdfast with floors and other libraries. See docs/trust/comparison.md.
import { writeFile } from 'node:fs/promises'
import { cpus, type as system } from 'node:os'
import { parseArgs } from 'node:util'
import { withRedis } from '@holdfast/testkit'
import { contenders } from './adapters/contenders.js'
import { titleOf, type Contender } from './contender.js'
import { captionOf, tableOf } from './report/table.js'
import { targetsTable } from './report/targets.js'
import type { Figure, Scenario } from './scenario.js'
import { scenarios } from './scenarios/scenarios.js'
import { onRedis } from './servers.js'

const usage = `pnpm bench [options]

  --scenario a,b   of those below (all but scale, soak, instructions, shared…, postgres…, zookeeper…, etcd…, memcached…, mysql… and session…)
  --with a,b       contenders whose names start like this, such as holdfast,redlock (all; floors always)
  --rounds N       medians of N rounds (5)
  --minutes N      how long soak, postgres-growth and fresh-names run (1)
  --rate N         cycles per second of soak (as many as possible) and of fresh-names (100)
  --trial          tiny counts: only shows that everything works
  --json FILE      writes the figures there, too

${scenarios.map(({ name, title }) => `  ${name.padEnd(19)} ${title}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    with: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '1' },
    rate: { type: 'string' },
    trial: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else await runAll()

async function runAll(): Promise<void> {
  const plan = {
    contenders: chosenContenders(values.with),
    rounds: Math.max(1, Number(values.rounds) || 1),
    isTrial: values.trial,
    minutes: Math.max(1, Number(values.minutes) || 1),
    cyclesPerSecond: Number(values.rate) || null,
    say: (line: string) => console.log(line),
  }
  const run = new Map<string, { about: Scenario; figures: readonly Figure[] }>()
  for (const scenario of chosenScenarios(values.scenario)) {
    console.log(`\n## ${scenario.name}: ${scenario.title}\n`)
    const startedAt = performance.now()
    const figures = await scenario.run(plan)
    console.log(`${captionOf(scenario)}\n\n${tableOf(scenario, figures)}`)
    console.log(`\nTook ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`)
    run.set(scenario.name, { about: scenario, figures })
  }
  const targets = targetsTable(run)
  if (targets !== '') console.log(`\n## Targets\n\n${targets}`)
  if ([...run.values()].every(({ figures }) => figures.length === 0)) return
  const machine = await describeMachine()
  console.log(`\n${machine}`)
  if (values.json === undefined) return
  const figures = Object.fromEntries([...run].map(([name, each]) => [name, each.figures]))
  await writeFile(values.json, `${JSON.stringify({ machine, figures }, null, 2)}\n`)
}

/** What figures depend on, in a line. */
function describeMachine(): Promise<string> {
  return onRedis(async ({ redis: { url } }) => {
    const info = await withRedis(url, (redis) => redis.info('server'))
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'of an unknown version'
    const cpu = cpus()[0]?.model ?? 'unknown processor'
    return `Node.js ${process.versions.node}, Redis ${version}, ${system()}, ${cpu}, ${cpus().length} cores`
  })
}

function chosenScenarios(given: string | undefined): readonly Scenario[] {
  if (given === undefined) return scenarios.filter(({ onlyByName }) => !onlyByName)
  return given.split(',').map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name)
    if (!found) throw new Error(`unknown scenario ${name}\n\n${usage}`)
    return found
  })
}

/** Floors always take part, as the baseline of every comparison. */
function chosenContenders(given: string | undefined): readonly Contender[] {
  if (given === undefined) return contenders
  const prefixes = given.split(',').map((prefix) => prefix.trim().toLowerCase())
  const starts = (contender: Contender, prefix: string): boolean =>
    titleOf(contender).toLowerCase().startsWith(prefix)
  const strange = prefixes.find((prefix) => !contenders.some((contender) => starts(contender, prefix)))
  if (strange !== undefined) {
    const titles = contenders.map(titleOf).join('; ')
    throw new Error(`--with ${strange}: no contender's name starts like this; there are ${titles}`)
  }
  return contenders.filter(
    (contender) =>
      contender.configuration === 'floor' || prefixes.some((prefix) => starts(contender, prefix)),
  )
}
