import type { HistoryEvent } from '@holdfast/testkit'
import type { TopologyName } from './topologies.js'
import { handOffMs, type Verdict } from './verdict.js'

/** The totals of all schedules on one topology. */
export interface Tally {
  readonly topology: TopologyName
  runs: number
  calls: number
  holds: number
  /** Of the holds, those whose exclusion of the previous one no fault excused. */
  holdsJudged: number
  reentries: number
  waits: number
  /** Of the waits, those that nothing disturbed until they ended, so that no later caller was allowed to overtake them. */
  waitsJudged: number
  refusals: number
  lossesReported: number
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
    lossesReported: 0,
    kills: 0,
    violations: 0,
    handOffsMs: [],
    faults: new Map(),
  }
}

export function addTo(tally: Tally, { history, problems, coverage }: Verdict): void {
  tally.runs += 1
  tally.violations += problems.length
  tally.holds += coverage.holds
  tally.holdsJudged += coverage.holdsJudged
  tally.waits += coverage.waits
  tally.waitsJudged += coverage.waitsJudged
  tally.handOffsMs.push(...coverage.handOffsMs)
  for (const event of history) count(tally, event)
}

function count(tally: Tally, event: HistoryEvent): void {
  if (event.kind === 'requested') tally.calls += 1
  else if (event.kind === 'acquired' && event.count > 1) tally.reentries += 1
  else if (event.kind === 'refused') tally.refusals += 1
  else if (event.kind === 'lost') tally.lossesReported += 1
  else if (event.kind === 'killed') tally.kills += 1
  else if (event.kind === 'fault') tally.faults.set(event.fault, (tally.faults.get(event.fault) ?? 0) + 1)
}

/** With fewer hand-offs than these there is no verdict. */
const minHandOffs = 10

/**
 * Why the hand-offs of all schedules together are too slow: the machine may delay a single one, but not one in ten.
 * `null`: they are fast enough.
 */
export function slowHandOffs({ handOffsMs }: Tally): string | null {
  const ninthInTen = quantile(handOffsMs, 0.9)
  if (handOffsMs.length < minHandOffs || ninthInTen <= handOffMs) return null
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
