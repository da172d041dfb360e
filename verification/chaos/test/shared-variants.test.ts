import { isCaught } from '../src/variants/try-variant.js'
import { familyVariants } from '../src/variants/family-variants.js'
import { sharedVariants } from '../src/variants/shared-variants.js'
import { controlled, verdictsOnBroken, verdictsOnUnchanged, type Verdicts } from './support/verdicts.js'

/** Of all objects but locks. */
const variants = [...sharedVariants, ...familyVariants]
const lanes = 5

describe('the checker', () => {
  let broken: Verdicts
  let unchanged: Verdicts
  beforeAll(async () => {
    broken = await verdictsOnBroken(variants, lanes)
    unchanged = await verdictsOnUnchanged(controlled(variants), lanes)
  }, 600_000)

  for (const variant of variants) {
    it(`catches a library of other objects in which ${variant.name}`, () => {
      const verdict = broken.get(variant.name)
      expect({ caught: verdict && isCaught(variant, verdict), problems: verdict?.problems }).toMatchObject({
        caught: true,
      })
    })
  }

  for (const variant of controlled(variants)) {
    it(`finds nothing on the same schedule of other objects without the bug: ${variant.name}`, () =>
      expect(unchanged.get(variant.name)?.problems).toEqual([]))
  }
})
