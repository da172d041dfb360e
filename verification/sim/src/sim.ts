// npm run sim: random schedules of calls and faults in virtual time. See verification/sim/README.md.
import { parseArgs } from 'node:util'
import { isObjectName, objectNames, type ObjectName } from '@holdfast/chaos'
import { drawTimeline } from '@holdfast/testkit'
import { Bundle } from './bundle.js'
import type { Played } from './play.js'
import type { EngineName } from './program/stores.js'
import { brokenBySchedule, hunt } from './hunt.js'
import type { Mistake } from './mistake.js'
import { mistakes } from './mistakes.js'
import { engineNames, objectsOn, Simulation } from './simulation.js'

const usage = `npm run sim -- [options]

  --object a,b   of ${objectNames.join(', ')} (all)
  --engine a,b   of ${engineNames.join(', ')} (all)
  --servers N    how many stores a quorum has (3)
  --runs N       schedules of each object on each engine (200)
  --seed N       of the first schedule; the n-th has this plus n (1)
  --show         prints the history of each schedule, and its picture
  --path P       with --seed: the shorter schedule that was found for that seed under this path
  --mistakes     plants each mistake of the list, and prints which seed shows it first

A violation is printed with the command that shows it again, and then a shorter schedule is searched for that fails, too.
`

const shrinkWithinMs = 30_000
/** By then random schedules have shown every mistake but those with a schedule of their own. */
const mostSeeds = 500

const { values } = parseArgs({
  options: {
    object: { type: 'string', default: objectNames.join(',') },
    engine: { type: 'string', default: engineNames.join(',') },
    servers: { type: 'string', default: '3' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    path: { type: 'string' },
    mistakes: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else if (values.mistakes) await catchAll()
else await runAll(values.engine.split(',').map(readEngine), values.object.split(',').map(readObject))

async function runAll(engines: readonly EngineName[], objects: readonly ObjectName[]): Promise<void> {
  const bundle = await Bundle.make()
  const table: Record<string, object> = {}
  for (const engine of engines) {
    for (const object of objects.filter((each) => objectsOn[engine].includes(each)))
      table[`${engine}, ${object}`] = await runOn(bundle, engine, object)
  }
  if (!values.show) console.table(table)
}

async function catchAll(): Promise<void> {
  const bundle = await Bundle.make()
  const table: Record<string, object> = {}
  for (const mistake of mistakes) {
    const { name, engine, object, breaks } = mistake
    table[name] = { engine, object, breaks: breaks.join(', '), ...(await catchOne(mistake, bundle)) }
  }
  console.table(table)
}

async function catchOne(mistake: Mistake, bundle: Bundle): Promise<object> {
  const found = await hunt(mistake, bundle, mostSeeds)
  if (found) return { 'shown by': `seed ${found.seed}`, as: found.broken.join(', ') }
  const broken = await brokenBySchedule(mistake, bundle)
  if (broken.length > 0) return { 'shown by': 'a schedule of its own', as: broken.join(', ') }
  process.exitCode = 1
  return { 'shown by': 'NOTHING', as: '' }
}

async function runOn(bundle: Bundle, engine: EngineName, object: ObjectName): Promise<object> {
  const servers = object === 'quorum' ? readNumber(values.servers) : 1
  const simulation = new Simulation({ engine, object, servers }, bundle)
  const seed = readNumber(values.seed)
  const command = (of: number, path = ''): string =>
    `npm run sim -- --engine ${engine} --object ${object}${servers > 1 ? ` --servers ${servers}` : ''} --seed ${of}${path} --show`
  if (values.path !== undefined || (values.show && values.runs === undefined)) {
    show(await simulation.play(simulation.draw(seed, values.path), seed))
    return {}
  }
  const cpu = process.cpuUsage()
  const { failed, digest, ...totals } = await simulation.campaign(
    seed,
    readNumber(values.runs ?? '200'),
    (of, played) => {
      if (values.show) show(played)
      else if (played.problems.length > 0)
        console.log(`\n${played.problems.join('\n')}\n\nAgain: ${command(of)}`)
    },
  )
  const { user, system } = process.cpuUsage(cpu)
  const cpuS = (user + system) / 1e6
  const [first] = failed
  if (first !== undefined) {
    process.exitCode = 1
    const shrunk = await simulation.shrink(first, shrinkWithinMs)
    if (shrunk) {
      const { schedule, path, verdict } = shrunk
      console.log('\nA shorter schedule that fails:', JSON.stringify(schedule, null, 1))
      console.log(`${verdict.problems.join('\n')}\n\nAgain: ${command(first, ` --path ${path}`)}`)
    }
  }
  const { schedules, simulatedMs, ...counts } = totals
  return {
    schedules,
    ...counts,
    failed: failed.length,
    'simulated, s': Math.round(simulatedMs / 1_000),
    'CPU, s': cpuS.toFixed(1),
    'per CPU-second': (schedules / cpuS).toFixed(0),
    digest,
  }
}

function show({ history, problems }: Played): void {
  for (const event of history) console.log(JSON.stringify(event))
  console.log(drawTimeline(history))
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}

function readObject(name: string): ObjectName {
  if (isObjectName(name)) return name
  throw new Error(`unknown object ${name}\n\n${usage}`)
}

function readEngine(name: string): EngineName {
  const engine = engineNames.find((known) => known === name)
  if (engine) return engine
  throw new Error(`unknown engine ${name}\n\n${usage}`)
}

function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`${text} is not a whole number\n\n${usage}`)
}
