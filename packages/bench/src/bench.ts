// pnpm bench: Holdfast beside floors and other libraries. See docs/performance.md.
import { parseArgs } from 'node:util'
import { titleOf, type Contender } from './contender.js'
import { contenders } from './contenders/contenders.js'
import type { Figure } from './figure.js'
import { printTable } from './report/table.js'
import { saveReport } from './report/save.js'
import { scenarios } from './scenarios/scenarios.js'

const usage = `pnpm bench [options]

  --scenario a,b   of those below (all)
  --with a,b       contenders whose names begin like that, such as holdfast,redlock (all; floors always)
  --rounds N       medians of N rounds (5)
  --trial          tiny counts: shows that everything works, and nothing else
  --out FOLDER     writes figures.json and plots there

${scenarios.map(({ name, title }) => `  ${name.padEnd(16)} ${title}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: scenarios.map(({ name }) => name).join(',') },
    with: { type: 'string' },
    rounds: { type: 'string', default: '5' },
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
    say: (line: string) => console.log(line),
  }
  const figures: Figure[] = []
  for (const scenario of chosen) {
    console.log(`\n${scenario.name}: ${scenario.title}`)
    const seen = await scenario.run(plan)
    printTable(scenario, seen)
    figures.push(...seen)
  }
  if (values.out !== undefined) await saveReport(values.out, figures)
}

function readScenario(name: string) {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (!found) throw new Error(`there is no scenario ${name}\n\n${usage}`)
  return found
}

/** Floors are what everything is compared to. */
function chosenContenders(given: string | undefined): readonly Contender[] {
  if (given === undefined) return contenders
  const beginnings = given.split(',').map((beginning) => beginning.trim().toLowerCase())
  return contenders.filter(
    (contender) =>
      contender.configuration === 'floor' ||
      beginnings.some((beginning) => titleOf(contender).toLowerCase().startsWith(beginning)),
  )
}
