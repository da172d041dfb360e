import { isCaught } from '../src/variants/try-variant.js'
import { postgresVariants as variants } from '../src/variants/postgres-variants.js'
import { controlled, verdictsOnBroken, verdictsOnUnchanged, type Verdicts } from './support/verdicts.js'

/** Servers of PostgreSQL are heavier. */
const lanes = 2

describe('the checker', () => {
  let broken: Verdicts
  let unchanged: Verdicts
  beforeAll(async () => {
    broken = await verdictsOnBroken(variants, lanes)
    unchanged = await verdictsOnUnchanged(controlled(variants), lanes)
  }, 600_000)

  for (const variant of variants) {
    it(`catches an engine for PostgreSQL in which ${variant.name}`, () => {
      const verdict = broken.get(variant.name)
      expect({ caught: verdict && isCaught(variant, verdict), problems: verdict?.problems }).toMatchObject({
        caught: true,
      })
    })
  }

  for (const variant of controlled(variants)) {
    it(`finds nothing on PostgreSQL on the same schedule without the bug: ${variant.name}`, () =>
      expect(unchanged.get(variant.name)?.problems).toEqual([]))
  }
})
