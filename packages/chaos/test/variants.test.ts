import { openTestbed, type Testbed } from '../src/testbed.js'
import { runSchedule } from '../src/run-schedule.js'
import { isCaught, tryVariant } from '../src/variants/try-variant.js'
import { variants } from '../src/variants/variants.js'
import { judge } from '../src/verdict.js'

describe('the checker', () => {
  let testbed: Testbed
  beforeAll(async () => {
    testbed = await openTestbed('single')
  })
  afterAll(() => testbed.close())

  for (const variant of variants) {
    it(`catches a library in which ${variant.name}`, async () => {
      const verdict = await tryVariant(variant)
      expect({ caught: isCaught(variant, verdict), problems: verdict.problems }).toMatchObject({
        caught: true,
      })
    })

    it(`finds nothing on the same schedule without the bug: ${variant.name}`, async () => {
      const verdict = judge(await runSchedule(testbed, variant.schedule))
      expect(verdict.problems).toEqual([])
    })
  }
})
