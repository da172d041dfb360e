import { waitBucketsMs, type ClientReport } from '@holdfast/core'
import type { Sample } from '../shared/payloads.js'
import type { Fleet } from './fleet.js'
import { addBuckets, growthOf, percentile, type Buckets } from './wait-times.js'

/** Charts go back this far. */
const keptMs = 5 * 60_000
/** Percentiles are those of the acquisitions of this time. */
const percentileWindowMs = 30_000

type Counts = Pick<ClientReport, 'counts' | 'waits' | 'handOffs'>

interface Growth {
  readonly at: number
  readonly acquired: number
  readonly handOffs: number
  readonly waits: Buckets
}

/** Turns the counts of the clients, which only grow, into points of the charts. */
export class Samples {
  #samples: Sample[] = []
  #growths: Growth[] = []
  /** What each client reported last. One that did not report this time adds nothing until it does. */
  #counts = new Map<string, Counts>()

  get all(): readonly Sample[] {
    return this.#samples
  }

  get last(): Sample | undefined {
    return this.#samples.at(-1)
  }

  add(fleet: Fleet, at: number): void {
    const previousAt = this.last?.at
    this.#growths = [
      ...this.#growths.filter((growth) => at - growth.at < percentileWindowMs),
      this.#grow(fleet, at),
    ]
    const { held, waiting } = fleet.totals()
    // Nobody has reported: that is not 0 per second.
    const growth = held === null ? undefined : this.#growths.at(-1)
    const waits = this.#growths.reduce<Buckets>((sum, each) => addBuckets(sum, each.waits), [])
    const perSecond = (count: number | undefined): number | null =>
      previousAt === undefined || count === undefined || at <= previousAt
        ? null
        : (count * 1_000) / (at - previousAt)
    const sample: Sample = {
      at,
      held,
      waiting,
      acquiredPerSecond: perSecond(growth?.acquired),
      handOffsPerSecond: perSecond(growth?.handOffs),
      p50: percentile(waits, waitBucketsMs, 0.5),
      p90: percentile(waits, waitBucketsMs, 0.9),
      p99: percentile(waits, waitBucketsMs, 0.99),
    }
    this.#samples = [...this.#samples.filter((each) => at - each.at < keptMs), sample]
  }

  clear(): void {
    this.#samples = []
    this.#growths = []
    this.#counts = new Map()
  }

  #grow(fleet: Fleet, at: number): Growth {
    let [acquired, handOffs, waits]: [number, number, Buckets] = [0, 0, []]
    const counts = new Map<string, Counts>()
    for (const report of fleet.reports) {
      const before = this.#counts.get(report.clientId)
      counts.set(report.clientId, report)
      if (!before) continue
      acquired += Math.max(0, report.counts.acquired - before.counts.acquired)
      handOffs += Math.max(0, report.handOffs - before.handOffs)
      waits = addBuckets(waits, growthOf(report.waits.buckets, before.waits.buckets))
    }
    this.#counts = counts
    return { at, acquired, handOffs, waits }
  }
}
