import { openTestbed, type Testbed } from '../src/testbed.js'
import { runSchedule } from '../src/run-schedule.js'
import type { TopologyName } from '../src/topologies.js'
import { familyVariants } from '../src/variants/family-variants.js'
import { sharedVariants } from '../src/variants/shared-variants.js'
import type { Variant } from '../src/variants/variant.js'
import { isCaught, tryVariant } from '../src/variants/try-variant.js'
import { judge, type Verdict } from '../src/verdict.js'

/** Schedules mostly wait, so several run at once, each on a server of its own. */
const lanes = 5

type Run = (variant: Variant) => Promise<Verdict>

/** Of all objects but locks. */
const variants = [...sharedVariants, ...familyVariants]

/** Runs each variant in one of the lanes, as soon as one is free. */
async function runAll(inLane: (work: (run: Run) => Promise<void>) => Promise<void>) {
  const verdicts = new Map<string, Verdict>()
  const left = [...variants]
  const work = async (run: Run) => {
    for (let variant = left.shift(); variant; variant = left.shift())
      verdicts.set(variant.name, await run(variant))
  }
  await Promise.all(Array.from({ length: lanes }, () => inLane(work)))
  return verdicts
}

/** With the library as it is. */
async function onOwnTestbed(work: (run: Run) => Promise<void>): Promise<void> {
  const testbeds = new Map<TopologyName, Testbed>()
  try {
    await work(async ({ schedule, topology = 'single' }) => {
      const testbed = testbeds.get(topology) ?? (await openTestbed(topology))
      testbeds.set(topology, testbed)
      return judge(await runSchedule(testbed, schedule))
    })
  } finally {
    await Promise.all([...testbeds.values()].map((testbed) => testbed.close()))
  }
}

describe('the checker', () => {
  let broken: Map<string, Verdict>
  let unchanged: Map<string, Verdict>
  beforeAll(async () => {
    broken = await runAll((work) => work(tryVariant))
    unchanged = await runAll(onOwnTestbed)
  }, 120_000)

  for (const variant of variants) {
    it(`catches a library of other objects in which ${variant.name}`, () => {
      const verdict = broken.get(variant.name)
      expect({ caught: verdict && isCaught(variant, verdict), problems: verdict?.problems }).toMatchObject({
        caught: true,
      })
    })

    it(`finds nothing on the same schedule of other objects without the bug: ${variant.name}`, () => {
      expect(unchanged.get(variant.name)?.problems).toEqual([])
    })
  }
})
