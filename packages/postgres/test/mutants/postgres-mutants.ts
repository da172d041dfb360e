import { mutantsOf, sqlChanges, type Mutant } from '@holdfast/mutants'
import { schemaParts, type SchemaParts } from '../steps/functions.js'

/** The functions that are the steps of a kind, or that those call. */
export const functionsOf = {
  lock: ['pass_on_1', 'acquire_2', 'release_1', 'force_1', 'renew_2', 'refresh_2', 'inspect_1'],
  shared: [
    'let_in_1',
    'acquire_shared_2',
    'release_shared_1',
    'force_shared_1',
    'resize_1',
    'renew_shared_2',
    'refresh_shared_2',
    'inspect_shared_1',
  ],
  sweep: ['sweep_2'],
  latch: ['latch_set_1', 'latch_count_down_1', 'latch_delete_1', 'latch_wait_1', 'latch_inspect_1'],
} as const

/** All mistakes in the functions that are steps. A file is a function. */
export const postgresMutants = (): Mutant[] =>
  [...new Set(Object.values(functionsOf).flat())].flatMap((name) => {
    const sql = schemaParts.get(name)
    if (sql === undefined) throw new Error(`there is no function ${name}`)
    return mutantsOf(name, sql, sqlChanges(sql))
  })

export const partsWith = ({ file, source }: Mutant): SchemaParts => new Map([...schemaParts, [file, source]])
