import { countOf, grouped } from './count.js'

it('thousands are set apart', () => {
  expect([0, 999, 1_000, 100_000, 1_234_567].map(grouped)).toEqual([
    '0',
    '999',
    '1,000',
    '100,000',
    '1,234,567',
  ])
  expect([countOf(1, 'key'), countOf(1_200, 'key')]).toEqual(['1 key', '1,200 keys'])
})
