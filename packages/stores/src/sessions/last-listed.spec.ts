import { LastListed } from './last-listed.js'

interface Made {
  readonly name: string
}

const byName = (a: Made, b: Made): number => a.name.localeCompare(b.name)

function listingOf(last = new LastListed<Made>(byName)) {
  const list = (queue: string, ...names: string[]): Made[] =>
    last.each(
      queue,
      names,
      (name) => name,
      (name, before) => before ?? { name },
    )
  return { list }
}

it('makes nothing anew of what was listed before, whatever came and went beside it', () => {
  const { list } = listingOf()
  const [, b, c] = list('q', 'a', 'b', 'c')
  const [again, c1, d] = list('q', 'd', 'b', 'c')
  expect([again, c1]).toEqual([b, c])
  expect(again).toBe(b)
  expect(d).toEqual({ name: 'd' })
})

it('keeps the order of arrival, in whatever order they are listed, and wherever new ones belong', () => {
  const { list } = listingOf()
  const namesIn = (...names: string[]): string =>
    list('q', ...names)
      .map(({ name }) => name)
      .join('')
  expect(namesIn('c', 'a', 'd')).toBe('acd')
  expect(namesIn('d', 'b', 'c', 'a')).toBe('abcd')
  expect(namesIn('e', 'd', 'b')).toBe('bde')
})

it('forgets what is gone, and does not mix up two queues', () => {
  const { list } = listingOf()
  const [a] = list('q', 'a', 'b')
  expect(list('other', 'a', 'b')[0]).not.toBe(a)
  list('q', 'b', 'c')
  expect(list('q', 'a', 'b')[0]).not.toBe(a)
})

it('remembers the queues that were listed last only, and none of a single entry', () => {
  const { list } = listingOf()
  const [first] = list('q', 'a', 'b')
  const [alone] = list('alone', 'a')
  expect(list('alone', 'a')[0]).not.toBe(alone)
  for (let n = 0; n < 199; n += 1) list(`other ${n}`, 'a', 'b')
  expect(list('q', 'a', 'b')[0]).toBe(first)
  for (let n = 0; n < 200; n += 1) list(`other ${n}`, 'a', 'b')
  expect(list('q', 'a', 'b')[0]).not.toBe(first)
})
