// pnpm chaos: random schedules of lock calls and faults on every topology. See docs/safety.md.
import { drawTimeline } from '@holdfast/testkit'
import { parseArgs } from 'node:util'
import { openTestbed } from './testbed.js'
import { campaign } from './campaign.js'
import type { Schedule } from './schedule.js'
import { shrink } from './shrink.js'
import { printTallies, slowHandOffs, type Tally } from './tally.js'
import { isTopologyName, topologyNames, type TopologyName } from './topologies.js'
import type { Verdict } from './verdict.js'

const usage = `pnpm chaos [options]

  --topology a,b   of ${topologyNames.join(', ')} (all)
  --runs N         schedules on each topology (40 on a single server, 8 on each other)
  --long           10 000 on a single server, 500 on each other
  --seed N         of the first schedule; the n-th has this plus n (drawn and printed)
  --lanes N        schedules at the same time, each on servers and processes of its own (4)
  --show           prints a timeline of each schedule
  --path P         with --seed: the shorter schedule that was found for that seed under this path

A violation is shown as a timeline, with the options that replay it. Then a shorter schedule that also fails is
searched for.
`

const shrinkWithinMs = 120_000

const { values } = parseArgs({
  options: {
    topology: { type: 'string', default: topologyNames.join(',') },
    runs: { type: 'string' },
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
  const topologies = values.topology.split(',').map(readTopology)
  const tallies = await runAll(topologies)
  if (tallies.some(({ violations }) => violations > 0)) process.exitCode = 1
}

async function runAll(topologies: readonly TopologyName[]): Promise<Tally[]> {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000_000) : readNumber(values.seed)
  console.log(`seed ${seed}`)
  const tallies: Tally[] = []
  for (const topology of topologies) tallies.push(await runOn(topology, seed))
  printTallies(tallies)
  return tallies
}

async function runOn(topology: TopologyName, seed: number): Promise<Tally> {
  const runs = values.runs === undefined ? usualRuns(topology) : readNumber(values.runs)
  const failed: number[] = []
  let finished = 0
  const tally = await campaign({
    topology,
    runs,
    seed,
    lanes: readNumber(values.lanes),
    path: values.path,
    onFinished(failedSeed, schedule, verdict) {
      finished += 1
      if (values.show) console.log(drawTimeline(verdict.history))
      if (verdict.problems.length > 0) {
        failed.push(failedSeed)
        printFailure(topology, failedSeed, values.path, schedule, verdict)
      }
      if (finished % 100 === 0)
        console.log(`${topology}: ${finished} of ${runs} schedules, ${failed.length} failed`)
    },
  })
  const slow = slowHandOffs(tally)
  if (slow !== null) console.log(`\n${topology}: ${slow}`)
  const [first] = failed
  if (first !== undefined && values.path === undefined) await findShorter(topology, first)
  return tally
}

function printFailure(
  topology: TopologyName,
  seed: number,
  path: string | undefined,
  schedule: Schedule,
  verdict: Verdict,
): void {
  const at = path === undefined ? '' : ` --path ${path}`
  console.log(`\npnpm chaos --topology ${topology} --runs 1 --seed ${seed}${at} --show`)
  console.log(JSON.stringify(schedule))
  for (const problem of verdict.problems) console.log(problem)
}

async function findShorter(topology: TopologyName, seed: number): Promise<void> {
  const testbed = await openTestbed(topology)
  try {
    const shrunk = await shrink(testbed, seed, shrinkWithinMs)
    if (shrunk) {
      console.log('\nA shorter schedule that fails:')
      printFailure(topology, seed, shrunk.path, shrunk.schedule, shrunk.verdict)
    } else {
      console.log(`${topology}: seed ${seed} did not fail again`)
    }
  } finally {
    await testbed.close()
  }
}

function usualRuns(topology: TopologyName): number {
  if (topology === 'single') return values.long ? 10_000 : 40
  return values.long ? 500 : 8
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
