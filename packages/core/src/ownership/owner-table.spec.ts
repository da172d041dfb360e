import fc from 'fast-check'
import { OwnerTable } from './owners.js'
import type { Owned } from './owners.js'

const owned = (n: number): Owned => ({ n, owner: `client:${n}` })

it('an owner table behaves like a Map, whatever is added and removed', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 60 })), {
    minLength: 200,
    maxLength: 300,
  })
  fc.assert(
    fc.property(steps, (taken) => {
      const table = new OwnerTable<Owned>()
      const map = new Map<number, Owned>()
      for (const [isAdded, n] of taken) {
        const item = map.get(n) ?? owned(n)
        if (!isAdded) {
          expect(table.delete(item)).toBe(map.delete(n))
        } else if (!map.has(n)) {
          table.add(item)
          map.set(n, item)
        }
        expect(table.find(`client:${n}`)).toBe(map.get(n))
        expect(table.size).toBe(map.size)
        expect([...map.values()].filter((other) => table.find(other.owner) !== other)).toEqual([])
      }
      expect(table.all.map(({ n }) => n)).toEqual([...map.keys()].sort((a, b) => a - b))
    }),
  )
})

it('a table of owners finds those who stay when a burst of others has come and gone', () => {
  const table = new OwnerTable<Owned>()
  const all = Array.from({ length: 20_000 }, (_, n) => owned(n))
  for (const item of all) table.add(item)
  const staying = all.filter(({ n }) => n % 4_000 === 0)
  for (const item of all) if (!staying.includes(item)) table.delete(item)
  expect(all.filter((item) => table.find(item.owner) === item)).toEqual(staying)
  expect(table.all).toEqual(staying)
})

it('a table of owners deletes nothing but what is in it', () => {
  const table = new OwnerTable<Owned>()
  table.add(owned(1))
  expect(table.delete(owned(1))).toBe(false)
  expect([table.find('other:1'), table.find('nobody')]).toEqual([undefined, undefined])
  expect(table.size).toBe(1)
})
