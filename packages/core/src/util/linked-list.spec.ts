import { LinkedList, ListNode } from './lists.js'

it('a list keeps insertion order, whichever nodes are removed', () => {
  const [a, b, c, d] = [new ListNode('a'), new ListNode('b'), new ListNode('c'), new ListNode('d')]
  const list = new LinkedList<string>()
  for (const node of [a, b, c, d, b]) list.add(node)
  expect(list.toArray()).toEqual(['a', 'b', 'c', 'd'])
  expect([list.delete(a), list.delete(c), list.delete(c)]).toEqual([true, true, false])
  expect(list.toArray()).toEqual(['b', 'd'])
  expect(list.first).toBe('b')
  list.add(a)
  expect(list.toArray()).toEqual(['b', 'd', 'a'])
  for (const node of [b, a, d]) list.delete(node)
  expect([list.first, list.size, list.toArray()]).toEqual([undefined, 0, []])
  list.add(c)
  expect(list.toArray()).toEqual(['c'])
})

it('a removed node keeps no other node alive', () => {
  const [a, b] = [new ListNode('a'), new ListNode('b')]
  const list = new LinkedList<string>()
  list.add(a)
  list.add(b)
  list.delete(a)
  expect([a.before, a.after, list.has(a), list.has(b)]).toEqual([a, a, false, true])
})
