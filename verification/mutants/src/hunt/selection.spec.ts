import type { Mutant } from '../generate/mutant.js'
import { selectionOf } from './selection.js'

const mutants: Mutant[] = Array.from({ length: 2_000 }, (_, n) => ({
  id: `lua/${n % 2 === 0 ? 'lock' : 'shared'}.lua: drop "${n}"`,
  file: `lua/${n % 2 === 0 ? 'lock' : 'shared'}.lua`,
  source: '',
}))

it('a sample is about one in 100, and always the same', () => {
  const sample = mutants.filter(selectionOf().of)
  expect(sample.length).toBeGreaterThan(10)
  expect(sample.length).toBeLessThan(40)
  expect(mutants.filter(selectionOf('sample').of)).toEqual(sample)
})

it('shards are all mutants, each in one of them', () => {
  const shards = ['1/3', '2/3', '3/3'].flatMap((shard) => mutants.filter(selectionOf(shard).of))
  expect(shards).toHaveLength(mutants.length)
  expect(new Set(shards)).toEqual(new Set(mutants.filter(selectionOf('all').of)))
})

it('of a file are those whose file is named so', () =>
  expect(mutants.filter(selectionOf('all', 'lock').of)).toHaveLength(1_000))
