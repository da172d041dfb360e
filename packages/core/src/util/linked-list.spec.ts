import { Link, LinkedList } from './linked-list.js'

it('a list keeps the order in which links came, whichever of them go', () => {
  const [a, b, c, d] = [new Link('a'), new Link('b'), new Link('c'), new Link('d')]
  const list = new LinkedList<string>()
  for (const link of [a, b, c, d, b]) list.add(link)
  expect(list.toArray()).toEqual(['a', 'b', 'c', 'd'])
  expect([list.delete(a), list.delete(c), list.delete(c)]).toEqual([true, true, false])
  expect(list.toArray()).toEqual(['b', 'd'])
  expect(list.first).toBe('b')
  list.add(a)
  expect(list.toArray()).toEqual(['b', 'd', 'a'])
  for (const link of [b, a, d]) list.delete(link)
  expect([list.first, list.size, list.toArray()]).toEqual([undefined, 0, []])
  list.add(c)
  expect(list.toArray()).toEqual(['c'])
})

it('a link that has gone holds on to nobody', () => {
  const [a, b] = [new Link('a'), new Link('b')]
  const list = new LinkedList<string>()
  list.add(a)
  list.add(b)
  list.delete(a)
  expect([a.before, a.after, list.has(a), list.has(b)]).toEqual([a, a, false, true])
})
