// pnpm bench: compares Holdfast with floors and other libraries. See docs/performance.md.
import { parseArgs } from 'node:util'
import { titleOf, type Contender } from './contender.js'
import { contenders } from './contenders/contenders.js'
import type { Figure } from './figure.js'
import { gatherFacts } from './report/facts.js'
import { saveReport } from './report/save.js'
import { captionOf, tableOf } from './report/table.js'
import { scenarios } from './scenarios/scenarios.js'

const usage = `pnpm bench [options]

  --scenario a,b   of those below (all but scale, soak, instructions, shared… and postgres…)
  --with a,b       contenders whose names start like this, such as holdfast,redlock (all; floors always)
  --rounds N       medians of N rounds (5)
  --minutes N      how long soak, postgres-growth and fresh-names run (1)
  --rate N         cycles per second of soak (as many as possible) and of fresh-names (100)
  --trial          tiny counts: only shows that everything works
  --out FOLDER     writes figures.json, tables.md and plots there

${scenarios.map(({ name, title }) => `  ${name.padEnd(18)} ${title}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: namesOfFullRun() },
    with: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '1' },
    rate: { type: 'string' },
    trial: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else await runAll()

async function runAll(): Promise<void> {
  const chosen = values.scenario.split(',').map(readScenario)
  const plan = {
    contenders: chosenContenders(values.with),
    rounds: Math.max(1, Number(values.rounds) || 1),
    isTrial: values.trial,
    minutes: Math.max(1, Number(values.minutes) || 1),
    cyclesPerSecond: Number(values.rate) || null,
    say: (line: string) => console.log(line),
  }
  const figures: Figure[] = []
  for (const scenario of chosen) {
    console.log(`\n${scenario.name}: ${scenario.title}`)
    const startedAt = performance.now()
    const seen = await scenario.run(plan)
    console.log(`${captionOf(scenario)}\n\n${tableOf(scenario, seen)}`)
    console.log(`\nTook ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`)
    figures.push(...seen)
  }
  if (values.out !== undefined)
    await saveReport(values.out, { facts: await gatherFacts(), figures }, scenarios)
}

function namesOfFullRun(): string {
  return scenarios
    .filter(({ onlyByName }) => !onlyByName)
    .map(({ name }) => name)
    .join(',')
}

function readScenario(name: string) {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (!found) throw new Error(`unknown scenario ${name}\n\n${usage}`)
  return found
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
