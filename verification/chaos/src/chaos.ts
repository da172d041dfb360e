// npm run chaos: random schedules of lock calls and faults on every topology. See verification/README.md.
import { drawTimeline } from '@holdfast/testkit'
import { parseArgs } from 'node:util'
import { openTestbed } from './testbed.js'
import { campaign, failureOn, scheduleFor } from './campaign.js'
import { isObjectName, objectNames, objectsOf, type ObjectName } from './objects.js'
import type { Schedule } from './schedule.js'
import { shrink } from './shrink.js'
import { printTallies, slowHandOffs, titleOf, type Tally } from './tally.js'
import { isTopologyName, storeOf, topologyNames, type TopologyName } from './topologies.js'
import type { Verdict } from './verdict.js'

const usage = `npm run chaos -- [options]

  --object a,b     of ${objectNames.join(', ')} (all)
  --topology a,b   of ${topologyNames.join(', ')}
                   (all; for other objects than locks single, cluster, postgres, zookeeper, etcd; a quorum has independent servers only)
  --runs N         schedules of each object on each topology (of locks 40 on a single server, 8 on each other; of each
                   other object 12 and 3); --schedules is the same
  --long           of locks 10 000 on a single server, 500 on each other; of each other object 2 000 and 200
  --seed N         of the first schedule; the n-th has this plus n (drawn and printed)
  --lanes N        schedules at the same time, each on servers and processes of its own (4)
  --show           prints a timeline of each schedule
  --path P         with --seed: the shorter schedule that was found for that seed under this path

A violation is shown as a timeline, with the options that replay it. Then a shorter schedule that also fails is
searched for.
`

const shrinkWithinMs = 120_000

/** Those on which schedules differ most. */
const differMost = new Set<TopologyName>(['single', 'cluster', 'postgres', 'zookeeper', 'etcd'])

const { values } = parseArgs({
  options: {
    topology: { type: 'string' },
    object: { type: 'string', default: objectNames.join(',') },
    runs: { type: 'string' },
    schedules: { type: 'string' },
    long: { type: 'boolean', default: false },
    seed: { type: 'string' },
    lanes: { type: 'string', default: '4' },
    show: { type: 'boolean', default: false },
    path: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(usage)
} else {
  const topologies = values.topology?.split(',').map(readTopology)
  const objects = values.object.split(',').map(readObject)
  const tallies = await runAll(topologies, objects)
  if (tallies.some(({ violations }) => violations > 0)) process.exitCode = 1
}

async function runAll(
  topologies: readonly TopologyName[] | undefined,
  objects: readonly ObjectName[],
): Promise<Tally[]> {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : readNumber(values.seed)
  console.log(`seed ${seed}`)
  const tallies: Tally[] = []
  for (const object of objects) {
    // Of several objects each runs where it can.
    const wanted = topologies?.filter((topology) => topologiesOf(object).includes(topology))
    for (const topology of wanted ?? usualTopologies(object))
      tallies.push(await runOn({ topology, object }, seed))
  }
  printTallies(tallies)
  return tallies
}

async function runOn(place: Place, seed: number): Promise<Tally> {
  const given = values.runs ?? values.schedules
  const runs = given === undefined ? usualRuns(place) : readNumber(given)
  const failed: number[] = []
  let finished = 0
  const tally = await campaign({
    ...place,
    runs,
    seed,
    lanes: readNumber(values.lanes),
    path: values.path,
    onFinished(failedSeed, schedule, verdict) {
      finished += 1
      if (values.show) console.log(drawTimeline(verdict.history))
      if (verdict.problems.length > 0) {
        failed.push(failedSeed)
        printFailure(place, failedSeed, values.path, schedule, verdict)
      }
      if (finished % 100 === 0)
        console.log(`${titleOf(place)}: ${finished} of ${runs} schedules, ${failed.length} failed`)
    },
  })
  const slow = slowHandOffs(tally)
  if (slow !== null) console.log(`\n${titleOf(place)}: ${slow}`)
  const [first] = failed
  if (first !== undefined && values.path === undefined) await findShorter(place, first)
  return tally
}

function printFailure(
  { topology, object }: Place,
  seed: number,
  path: string | undefined,
  schedule: Schedule,
  verdict: Verdict,
): void {
  const at = path === undefined ? '' : ` --path ${path}`
  console.log(
    `\nnpm run chaos -- --object ${object} --topology ${topology} --runs 1 --seed ${seed}${at} --show`,
  )
  console.log(JSON.stringify(schedule))
  for (const problem of verdict.problems) console.log(problem)
}

async function findShorter(place: Place, seed: number): Promise<void> {
  const testbed = await openTestbed(place.topology)
  try {
    const schedules = scheduleFor(place.topology, place.object)
    const shrunk = await shrink(schedules, seed, shrinkWithinMs, failureOn(testbed))
    if (shrunk) {
      console.log('\nA shorter schedule that fails:')
      printFailure(place, seed, shrunk.path, shrunk.schedule, shrunk.verdict)
    } else {
      console.log(`${titleOf(place)}: seed ${seed} did not fail again`)
    }
  } finally {
    await testbed.close()
  }
}

/** Where schedules run, and what they are about. */
interface Place {
  readonly topology: TopologyName
  readonly object: ObjectName
}

function topologiesOf(object: ObjectName): readonly TopologyName[] {
  if (object === 'quorum') return ['independent']
  return topologyNames.filter((topology) => objectsOf[storeOf(topology)].includes(object))
}

/** Of other objects than locks only those that differ most, unless there is time: every change runs them. */
function usualTopologies(object: ObjectName): readonly TopologyName[] {
  const all = topologiesOf(object)
  if (object === 'lock' || object === 'quorum' || values.long) return all
  return all.filter((topology) => differMost.has(topology))
}

function usualRuns({ topology, object }: Place): number {
  if (object !== 'lock') {
    if (topology === 'single' || object === 'quorum') return values.long ? 2_000 : 12
    return values.long ? 200 : 3
  }
  if (topology === 'single') return values.long ? 10_000 : 40
  return values.long ? 500 : 8
}

function readObject(name: string): ObjectName {
  if (isObjectName(name)) return name
  throw new Error(`unknown object ${name}\n\n${usage}`)
}

function readTopology(name: string): TopologyName {
  if (isTopologyName(name)) return name
  throw new Error(`unknown topology ${name}\n\n${usage}`)
}

function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`${text} is not a whole number\n\n${usage}`)
}
