import { mutantsOf, sqlChanges, type Mutant } from '@holdfast/mutants'
import { schemaParts, type SchemaParts } from '../steps/functions.js'

/** The functions that are the steps of a kind, or that those call. */
export const functionsOf = {
  lock: ['pass_on', 'acquire', 'take_over', 'release', 'force', 'renew', 'refresh', 'inspect'],
  shared: [
    'let_in',
    'acquire_shared',
    'release_shared',
    'force_shared',
    'resize',
    'renew_shared',
    'refresh_shared',
    'inspect_shared',
  ],
  sweep: ['sweep'],
  latch: ['latch_set', 'latch_count_down', 'latch_delete', 'latch_wait', 'latch_inspect'],
} as const

/** All mistakes in the functions that are steps. A file is a function. */
export const postgresMutants = (): Mutant[] =>
  [...new Set(Object.values(functionsOf).flat())].flatMap((name) => {
    const sql = schemaParts.get(name)
    if (sql === undefined) throw new Error(`there is no function ${name}`)
    return mutantsOf(name, sql, sqlChanges(sql))
  })

export const partsWith = ({ file, source }: Mutant): SchemaParts => new Map([...schemaParts, [file, source]])
