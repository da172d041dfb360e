import { createHash } from 'node:crypto'
import type { Mutant } from '../generate/mutant.js'

/** Which mutants are tried: a sample, unless all are asked for. */
export interface Selection {
  readonly isSample: boolean
  readonly of: (mutant: Mutant) => boolean
}

/** Of so many one is in the sample. */
const sampled = 100

const numberOf = (id: string): number => createHash('sha1').update(id).digest().readUInt32BE()

/**
 * @param wanted - `sample`, `all`, or a shard such as `2/4`
 * @param file - a part of the file's name
 */
export function selectionOf(wanted = 'sample', file = ''): Selection {
  if (wanted === 'sample') return { isSample: true, of: ({ id }) => numberOf(id) % sampled === 0 }
  const [nth = 1, shards = 1] = wanted === 'all' ? [] : wanted.split('/').map(Number)
  return {
    isSample: false,
    of: (mutant) => mutant.file.includes(file) && numberOf(mutant.id) % shards === nth - 1,
  }
}

export const selectionOfEnvironment = (): Selection =>
  selectionOf(process.env['HOLDFAST_MUTANTS'], process.env['HOLDFAST_MUTANTS_FILE'])
