// npm run bench: compares Holdfast with floors and other libraries. See docs/trust/comparison.md.
import { writeFile } from 'node:fs/promises'
import { cpus, type as system } from 'node:os'
import { parseArgs } from 'node:util'
import { contenders } from './adapters/contenders.js'
import type { Contender } from './contender.js'
import { captionOf, tableOf } from './report/table.js'
import { targetsTable } from './report/targets.js'
import type { About, Figure, Scenario } from './scenario.js'
import { throughput, uncontended } from './scenarios/cycles.js'
import { delayedHandOff } from './scenarios/delayed-hand-off.js'
import { handOff } from './scenarios/hand-off.js'
import { hotKey } from './scenarios/hot-key.js'
import { instructions } from './scenarios/instructions.js'
import { startUp } from './scenarios/start-up.js'
import { watchdog } from './scenarios/watchdog.js'
import { isStore, starts, type StoreName } from './stores.js'

/** In the order of a full run. */
const scenarios: readonly Scenario[] = [
  uncontended,
  throughput,
  handOff,
  hotKey,
  delayedHandOff,
  startUp,
  watchdog,
  instructions,
]

const usage = `npm run bench -- [options]

  --scenario a,b   of those below (all but instructions; with another store than Redis those with *)
  --store NAME     ${Object.keys(starts).join(', ')} (redis)
  --with a,b       contenders whose names start like this, such as holdfast,redlock (all; floors always)
  --rounds N       medians of N rounds (5)
  --trial          tiny counts: only shows that everything works
  --json FILE      writes the figures there, too

${scenarios.map(({ name, title, onStores }) => `  ${name.padEnd(16)} ${title}${onStores ? ' *' : ''}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    scenario: { type: 'string' },
    store: { type: 'string', default: 'redis' },
    with: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    trial: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else await runAll(values.store)

async function runAll(store: string): Promise<void> {
  if (!isStore(store)) throw new Error(`unknown store ${store}\n\n${usage}`)
  const plan = {
    contenders: chosenContenders(store, values.with),
    store,
    rounds: Math.max(1, Number(values.rounds) || 1),
    isTrial: values.trial,
    say: (line: string) => console.log(line),
  }
  const run = new Map<string, { about: About; figures: readonly Figure[] }>()
  for (const scenario of chosenScenarios(store, values.scenario)) {
    const [floor] = contenders[store]
    const about = store === 'redis' || !floor ? scenario : { ...scenario, floor: floor.library }
    console.log(`\n## ${scenario.name}: ${scenario.title}\n`)
    const startedAt = performance.now()
    const figures = await scenario.run(plan)
    console.log(`${captionOf(about)}\n\n${tableOf(about, figures)}`)
    console.log(`\nTook ${((performance.now() - startedAt) / 1_000).toFixed(0)} s.`)
    run.set(scenario.name, { about, figures })
  }
  const targets = store === 'redis' ? targetsTable(run) : ''
  if (targets !== '') console.log(`\n## Targets\n\n${targets}`)
  const machine = `Node.js ${process.versions.node}, ${system()}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`
  console.log(`\n${machine}`)
  if (values.json === undefined) return
  const figures = Object.fromEntries([...run].map(([name, each]) => [name, each.figures]))
  await writeFile(values.json, `${JSON.stringify({ machine, figures }, null, 2)}\n`)
}

function chosenScenarios(store: StoreName, given: string | undefined): readonly Scenario[] {
  const possible = scenarios.filter(({ onStores }) => onStores === true || store === 'redis')
  if (given === undefined) return possible.filter(({ onlyByName }) => !onlyByName)
  return given.split(',').map((name) => {
    const found = possible.find((scenario) => scenario.name === name)
    if (!found) throw new Error(`unknown scenario ${name} on ${store}\n\n${usage}`)
    return found
  })
}

/** Floors always take part, as the baseline of every comparison. */
function chosenContenders(store: StoreName, given: string | undefined): readonly Contender[] {
  const all = contenders[store]
  if (given === undefined) return all
  const prefixes = given.split(',').map((prefix) => prefix.trim().toLowerCase())
  const starts = ({ library }: Contender, prefix: string): boolean => library.toLowerCase().startsWith(prefix)
  const strange = prefixes.find((prefix) => !all.some((contender) => starts(contender, prefix)))
  if (strange !== undefined) {
    const names = all.map(({ library }) => library).join('; ')
    throw new Error(`--with ${strange}: no contender's name starts like this; there are ${names}`)
  }
  return all.filter(
    (contender) => contender.isFloor === true || prefixes.some((prefix) => starts(contender, prefix)),
  )
}
