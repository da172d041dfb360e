// node verification/chaos/dist/variants/show-variants.js: runs the checker against libraries with one bug each. Exits with 1 if it misses one.
import { describeViolation } from '@holdfast/testkit'
import { isCaught, tryVariant } from './try-variant.js'
import { familyVariants } from './family-variants.js'
import { postgresVariants } from './postgres-variants.js'
import { sharedVariants } from './shared-variants.js'
import { variants } from './variants.js'

const table: Record<string, { readonly caught: boolean; readonly by: string }> = {}
for (const variant of [...variants, ...sharedVariants, ...familyVariants, ...postgresVariants]) {
  const verdict = await tryVariant(variant)
  const caught = isCaught(variant, verdict)
  const by = [...new Set(verdict.violations.map(({ promise }) => promise))].join(', ')
  const shown = verdict.violations.find(({ promise }) => variant.breaks.includes(promise))
  console.log(`\n${variant.name}${shown ? '' : ': NOT CAUGHT'}`)
  if (shown) console.log(describeViolation(shown, verdict.history))
  table[variant.name] = { caught, by }
  if (!caught) process.exitCode = 1
}
console.table(table)
