import { matcherOf } from './listing.js'

it.each([
  ['*', ['', 'order:42', 'a\nb'], []],
  ['order:*', ['order:', 'order:42'], ['orders', 'my order:42']],
  ['order:?', ['order:4', 'order:😀', 'order:\n'], ['order:', 'order:42']],
  ['a.b', ['a.b'], ['axb']],
  ['[a-z]{2}(x|y)+$^', ['[a-z]{2}(x|y)+$^'], ['ab', 'q']],
  ['\\*\\?', ['*?'], ['ab', '\\*\\?']],
  ['a\\\\b', ['a\\b'], ['a\\\\b', 'ab']],
  ['a\\', ['a\\'], ['a']],
  ['', [''], ['a']],
  ['**', ['', 'ab'], []],
  ['a*b*c', ['abc', 'abbcc', 'a b c c'], ['acb', 'abcd', 'ac']],
  ['*ab', ['ab', 'aab', 'abab'], ['aba', 'b']],
  ['*a?c*', ['abc', 'aabcc', 'abababc'], ['ac', 'abab']],
  ['??*', ['ab', 'abc'], ['a', '😀']],
])('the pattern %s matches just what it should', (pattern, matching, others) => {
  const matches = matcherOf(pattern)
  expect(matching.filter((name) => !matches(name))).toEqual([])
  expect(others.filter(matches)).toEqual([])
})

it('many wildcards take no more time than a few', () => {
  const matches = matcherOf(`${'*a'.repeat(500)}b`)
  expect(matches('a'.repeat(1_000))).toBe(false)
  expect(matches(`${'a'.repeat(1_000)}b`)).toBe(true)
})
