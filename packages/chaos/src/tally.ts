import type { HistoryEvent } from '@holdfast/testkit'
import type { TopologyName } from './topologies.js'
import { handOffMs, type Verdict } from './verdict.js'

/** What all schedules on one topology added up to. */
export interface Tally {
  readonly topology: TopologyName
  runs: number
  calls: number
  holds: number
  /** Of the holds, those that no fault excused from excluding the one before. */
  holdsJudged: number
  reentries: number
  waits: number
  /** Of the waits, those that nothing disturbed until they were over, so that nobody was to overtake them. */
  waitsJudged: number
  refusals: number
  lossesTold: number
  kills: number
  violations: number
  readonly handOffsMs: number[]
  readonly faults: Map<string, number>
}

export function newTally(topology: TopologyName): Tally {
  return {
    topology,
    runs: 0,
    calls: 0,
    holds: 0,
    holdsJudged: 0,
    reentries: 0,
    waits: 0,
    waitsJudged: 0,
    refusals: 0,
    lossesTold: 0,
    kills: 0,
    violations: 0,
    handOffsMs: [],
    faults: new Map(),
  }
}

export function addTo(tally: Tally, { history, complaints, coverage }: Verdict): void {
  tally.runs += 1
  tally.violations += complaints.length
  tally.holds += coverage.holds
  tally.holdsJudged += coverage.holdsJudged
  tally.waits += coverage.waits
  tally.waitsJudged += coverage.waitsJudged
  tally.handOffsMs.push(...coverage.handOffsMs)
  for (const event of history) count(tally, event)
}

function count(tally: Tally, event: HistoryEvent): void {
  if (event.kind === 'asked') tally.calls += 1
  else if (event.kind === 'acquired' && event.count > 1) tally.reentries += 1
  else if (event.kind === 'refused') tally.refusals += 1
  else if (event.kind === 'lost') tally.lossesTold += 1
  else if (event.kind === 'killed') tally.kills += 1
  else if (event.kind === 'fault') tally.faults.set(event.fault, (tally.faults.get(event.fault) ?? 0) + 1)
}

/** Of fewer hand-offs nothing is concluded. */
const fewestHandOffs = 10

/**
 * What is wrong with all schedules together, in words: a single late hand-off may be the machine's, one in ten is not.
 * `null`: nothing.
 */
export function slowHandOffs({ handOffsMs }: Tally): string | null {
  const ninthInTen = quantile(handOffsMs, 0.9)
  if (handOffsMs.length < fewestHandOffs || ninthInTen <= handOffMs) return null
  return `of ${handOffsMs.length} hand-offs, one in ten took ${ninthInTen.toFixed(1)} ms; ${handOffMs} are allowed`
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * part) - 1] ?? 0
}

/** The summary that a run ends with. */
export function printTallies(tallies: readonly Tally[]): void {
  console.table(
    Object.fromEntries(
      tallies.map(({ topology, faults, handOffsMs: _, ...counts }) => {
        const injected = [...faults.values()].reduce((sum, n) => sum + n, 0)
        return [topology, { ...counts, faults: injected }]
      }),
    ),
  )
  console.table(
    Object.fromEntries(
      tallies.map(({ topology, handOffsMs }) => [
        topology,
        {
          'hand-offs timed': handOffsMs.length,
          'median, ms': quantile(handOffsMs, 0.5).toFixed(1),
          '90 %, ms': quantile(handOffsMs, 0.9).toFixed(1),
          'longest, ms': quantile(handOffsMs, 1).toFixed(1),
        },
      ]),
    ),
  )
  const names = [...new Set(tallies.flatMap(({ faults }) => [...faults.keys()]))].sort()
  console.table(
    Object.fromEntries(
      names.map((name) => [
        name,
        Object.fromEntries(tallies.map(({ topology, faults }) => [topology, faults.get(name) ?? 0])),
      ]),
    ),
  )
}
