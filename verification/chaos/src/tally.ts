import type { HistoryEvent } from '@holdfast/testkit'
import type { ObjectName } from './objects.js'
import type { TopologyName } from './topologies.js'
import type { Verdict } from './verdict.js'

/** A few milliseconds if all is well; a waiter that misses its notification takes up to a lease. */
export const handOffMs = 100

/** The totals of all schedules of one object on one topology. */
export interface Tally {
  readonly topology: TopologyName
  readonly object: ObjectName
  runs: number
  calls: number
  holds: number
  /** Of the holds, those whose exclusion of the previous one no fault excused. */
  holdsJudged: number
  reentries: number
  /** Waits for a latch that ended since it was open. */
  passes: number
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

export function newTally(topology: TopologyName, object: ObjectName = 'lock'): Tally {
  return {
    topology,
    object,
    runs: 0,
    calls: 0,
    holds: 0,
    holdsJudged: 0,
    reentries: 0,
    passes: 0,
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
  if (beginsCall.has(event.kind)) tally.calls += 1
  else if (event.kind === 'passed') tally.passes += 1
  else if (event.kind === 'acquired' && event.count > 1) tally.reentries += 1
  else if (event.kind === 'refused') tally.refusals += 1
  else if (event.kind === 'lost') tally.lossesReported += 1
  else if (event.kind === 'killed') tally.kills += 1
  else if (event.kind === 'fault') tally.faults.set(event.fault, (tally.faults.get(event.fault) ?? 0) + 1)
}

const beginsCall = new Set<HistoryEvent['kind']>(['requested', 'setting', 'counting', 'deleting'])

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

/** A topology, and what was tried on it unless that was locks. */
export function titleOf({ topology, object }: Pick<Tally, 'topology' | 'object'>): string {
  return object === 'lock' ? topology : `${topology}, ${object}`
}

/** The summary that a run ends with. */
export function printTallies(tallies: readonly Tally[]): void {
  console.table(
    Object.fromEntries(
      tallies.map((tally) => {
        const { topology: _, object: __, faults, handOffsMs: ___, ...counts } = tally
        const injected = [...faults.values()].reduce((sum, n) => sum + n, 0)
        return [titleOf(tally), { ...counts, faults: injected }]
      }),
    ),
  )
  console.table(
    Object.fromEntries(
      tallies.map((tally) => [
        titleOf(tally),
        {
          'hand-offs timed': tally.handOffsMs.length,
          'median, ms': quantile(tally.handOffsMs, 0.5).toFixed(1),
          '90 %, ms': quantile(tally.handOffsMs, 0.9).toFixed(1),
          'longest, ms': quantile(tally.handOffsMs, 1).toFixed(1),
        },
      ]),
    ),
  )
  const names = [...new Set(tallies.flatMap(({ faults }) => [...faults.keys()]))].sort()
  console.table(
    Object.fromEntries(
      names.map((name) => [
        name,
        Object.fromEntries(tallies.map((tally) => [titleOf(tally), tally.faults.get(name) ?? 0])),
      ]),
    ),
  )
}
