import { openTestbed } from '../src/testbed.js'
import { runSchedule } from '../src/run-schedule.js'
import { postgresLatchVariants } from '../src/variants/postgres-latch-variants.js'
import { postgresSharedVariants } from '../src/variants/postgres-shared-variants.js'
import { postgresVariants } from '../src/variants/postgres-variants.js'
import { isCaught, tryVariant } from '../src/variants/try-variant.js'
import { judge, type Verdict } from '../src/verdict.js'

/** Schedules mostly wait, so several run at once, each on a server of its own. */
const lanes = 2

const variants = [...postgresVariants, ...postgresSharedVariants, ...postgresLatchVariants]

/** The verdicts on the broken libraries, by their names. */
async function tryAll(): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>()
  const left = [...variants]
  const lane = async () => {
    for (let variant = left.shift(); variant; variant = left.shift())
      verdicts.set(variant.name, await tryVariant(variant))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return verdicts
}

/** The verdicts on the library as it is, on the same schedules. */
async function runUnchanged(): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>()
  const testbed = await openTestbed('postgres')
  try {
    for (const variant of variants)
      verdicts.set(variant.name, judge(await runSchedule(testbed, variant.schedule)))
    return verdicts
  } finally {
    await testbed.close()
  }
}

describe('the checker', () => {
  let broken: Map<string, Verdict>
  let unchanged: Map<string, Verdict>
  beforeAll(async () => {
    ;[broken, unchanged] = await Promise.all([tryAll(), runUnchanged()])
  }, 600_000)

  for (const variant of variants) {
    it(`catches an engine for PostgreSQL in which ${variant.name}`, () => {
      const verdict = broken.get(variant.name)
      expect({ caught: verdict && isCaught(variant, verdict), problems: verdict?.problems }).toMatchObject({
        caught: true,
      })
    })

    it(`finds nothing on PostgreSQL on the same schedule without the bug: ${variant.name}`, () => {
      expect(unchanged.get(variant.name)?.problems).toEqual([])
    })
  }
})
