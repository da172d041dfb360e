import { isFullMatrix } from '@holdfast/testkit'
import { openTestbed, type Testbed } from '../../src/testbed.js'
import { runSchedule } from '../../src/run-schedule.js'
import type { TopologyName } from '../../src/topologies.js'
import { tryVariant } from '../../src/variants/try-variant.js'
import type { Variant } from '../../src/variants/variant.js'
import { judge } from '../../src/campaign.js'
import type { Verdict } from '../../src/verdict.js'

/** By the names of the variants. */
export type Verdicts = ReadonlyMap<string, Verdict>

type Run = (variant: Variant) => Promise<Verdict>

/**
 * Runs each variant in one of the lanes, as soon as one is free: schedules mostly wait, so several run at once, each on a server
 * of its own.
 */
async function runAll(
  variants: readonly Variant[],
  lanes: number,
  inLane: (work: (run: Run) => Promise<void>) => Promise<void>,
): Promise<Verdicts> {
  const verdicts = new Map<string, Verdict>()
  const left = [...variants]
  const work = async (run: Run) => {
    for (let variant = left.shift(); variant; variant = left.shift())
      verdicts.set(variant.name, await run(variant))
  }
  await Promise.all(Array.from({ length: lanes }, () => inLane(work)))
  return verdicts
}

/** The verdicts on the broken libraries. */
export const verdictsOnBroken = (variants: readonly Variant[], lanes: number): Promise<Verdicts> =>
  runAll(variants, lanes, (work) => work(tryVariant))

/** Those whose schedule is also run without the bug: a sample, as random schedules are, too. */
export const controlled = (variants: readonly Variant[]): readonly Variant[] =>
  isFullMatrix ? variants : variants.filter((_, n) => n % 8 === 0)

/** The verdicts on the library as it is, on the same schedules. */
export const verdictsOnUnchanged = (variants: readonly Variant[], lanes: number): Promise<Verdicts> =>
  runAll(variants, lanes, async (work) => {
    const testbeds = new Map<TopologyName, Testbed>()
    try {
      await work(async ({ schedule, topology = 'single' }) => {
        const testbed = testbeds.get(topology) ?? (await openTestbed(topology))
        testbeds.set(topology, testbed)
        return judge(await runSchedule(testbed, schedule), testbed.name)
      })
    } finally {
      await Promise.all([...testbeds.values()].map((testbed) => testbed.close()))
    }
  })
