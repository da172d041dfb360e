import { anyOf, expect as ours, listWith, textWith } from './expect.js'

const date = new Date(0)
const failing = (): never => {
  throw new RangeError('too far')
}

it.each<[string, () => void]>([
  ['the same value', () => ours(1).toBe(1)],
  ['NaN, which is itself', () => ours(NaN).toBe(NaN)],
  ['equal parts', () => ours({ a: [{ b: 1 }], at: new Date(0) }).toEqual({ a: [{ b: 1 }], at: date })],
  ['a field that is undefined, and none', () => ours({ a: 1, b: undefined }).toEqual({ a: 1 })],
  ['equal sets', () => ours(new Set([{ a: 1 }, 2])).toEqual(new Set([2, { a: 1 }]))],
  ['some of the fields', () => ours({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 2 } })],
  ['fields of an error', () => ours(new RangeError('far')).toMatchObject({ message: textWith('a') })],
  ['a value of a type', () => ours({ at: date, n: 1 }).toEqual({ at: anyOf(Date), n: anyOf('number') })],
  ['a list with members', () => ours([1, { a: 2 }, 3]).toEqual(listWith([{ a: 2 }, 1]))],
  ['a function that throws', () => ours(failing).toThrow(RangeError)],
  ['a message', () => ours(failing).toThrow('too')],
  ['another value', () => ours(1).not.toBe(2)],
  ['a part of a text', () => ours('abc').toContain('b')],
  ['a member of a list', () => ours([{ a: 1 }]).toContainEqual({ a: 1 })],
])('accepts %s', (_, check) => expect(check).not.toThrow())

it.each<[string, () => void]>([
  ['another value', () => ours(1).toBe(2)],
  ['zero and minus zero', () => ours(0).toBe(-0)],
  ['a field that is missing', () => ours({ a: 1 }).toEqual({ a: 1, b: 2 })],
  ['a field too many', () => ours({ a: 1, b: 2 }).toEqual({ a: 1 })],
  ['a list that is longer', () => ours([1, 2]).toEqual([1])],
  ['a list that is longer, among fields', () => ours({ a: [1, 2] }).toMatchObject({ a: [1] })],
  ['a list and an object', () => ours({ 0: 1 }).toEqual([1])],
  ['another date', () => ours(new Date(1)).toEqual(date)],
  ['another set', () => ours(new Set([1, 2])).toEqual(new Set([1, 3]))],
  ['a field that is not there', () => ours({}).toMatchObject({ a: undefined })],
  ['a value of another type', () => ours('1').toEqual(anyOf('number'))],
  ['a member that is missing', () => ours([1]).toEqual(listWith([1, 2]))],
  ['a function that returns', () => ours(() => 1).toThrow(RangeError)],
  ['an error of another class', () => ours(failing).toThrow(TypeError)],
  ['another message', () => ours(failing).toThrow(/near/)],
  ['the same value, where another was wanted', () => ours(1).not.toBe(1)],
  ['a number at the bound', () => ours(1).toBeLessThan(1)],
  ['a text in place of a number', () => ours('1').toBeGreaterThan(0)],
  ['an object of no class', () => ours({}).toBeInstanceOf(Error)],
])('refuses %s', (_, check) => expect(check).toThrow(/^expected/))

it('refuses a promise that resolves where it has to reject, and the other way round', async () => {
  await expect(ours(Promise.resolve(1)).rejects.toThrow('')).rejects.toThrow('expected a rejection')
  await expect(ours(Promise.reject(new Error('no'))).resolves.toBe(1)).rejects.toThrow('no')
  await expect(ours(Promise.reject(new Error('no'))).rejects.toThrow('yes')).rejects.toThrow('to say')
})

it('says what was seen and what was expected', () =>
  expect(() => ours({ a: 1 }).toEqual({ a: 2 })).toThrow('expected { a: 1 } to equal { a: 2 }'))
