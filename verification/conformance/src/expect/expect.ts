import { AssertionError } from 'node:assert'
import { inspect } from 'node:util'
import { hasFields, isEqual, Sort } from './equal.js'

type Class = abstract new (...args: never[]) => unknown

/** What an error has to be: of a class, or with such a message. */
type Thrown = Class | RegExp | string

/** What was seen, compared with what was expected. Fails with an `AssertionError` of Node.js, which every test runner shows. */
class Expectation {
  readonly #actual: unknown
  readonly #isWanted: boolean

  constructor(actual: unknown, isWanted = true) {
    this.#actual = actual
    this.#isWanted = isWanted
  }

  get not(): Expectation {
    return new Expectation(this.#actual, !this.#isWanted)
  }

  /** For a promise that has to resolve. */
  get resolves() {
    const result = async (): Promise<Expectation> => new Expectation(await this.#actual)
    return {
      toBe: async (expected: unknown) => (await result()).toBe(expected),
      toBeUndefined: async () => (await result()).toBe(undefined),
    }
  }

  /** For a promise that has to reject. */
  get rejects() {
    const failure = async (): Promise<unknown> => {
      try {
        await this.#actual
      } catch (error) {
        return error
      }
      throw new AssertionError({ message: 'expected a rejection' })
    }
    return {
      toThrow: async (expected: Thrown) => new Expectation(await failure()).#toBeError(expected),
      toBeInstanceOf: async (type: Class) => new Expectation(await failure()).toBeInstanceOf(type),
    }
  }

  toBe(expected: unknown): void {
    this.#check('to be', Object.is(this.#actual, expected), expected)
  }

  toBeNull(): void {
    this.toBe(null)
  }

  toBeDefined(): void {
    this.not.toBe(undefined)
  }

  toEqual(expected: unknown): void {
    this.#check('to equal', isEqual(this.#actual, expected), expected)
  }

  toMatchObject(expected: object): void {
    this.#check('to have', hasFields(this.#actual, expected), expected)
  }

  toBeInstanceOf(type: Class): void {
    this.#check('to be an instance of', this.#actual instanceof type, type)
  }

  toBeLessThan(bound: number): void {
    this.#check('to be less than', this.#number() < bound, bound)
  }

  toBeLessThanOrEqual(bound: number): void {
    this.#check('to be at most', this.#number() <= bound, bound)
  }

  toBeGreaterThan(bound: number): void {
    this.#check('to be greater than', this.#number() > bound, bound)
  }

  toBeGreaterThanOrEqual(bound: number): void {
    this.#check('to be at least', this.#number() >= bound, bound)
  }

  toMatch(pattern: RegExp): void {
    this.#check('to match', pattern.test(String(this.#actual)), pattern)
  }

  /** Of a list a member, of a text a part. */
  toContain(part: unknown): void {
    const isIn =
      typeof this.#actual === 'string' ? this.#actual.includes(String(part)) : this.#list().includes(part)
    this.#check('to contain', isIn, part)
  }

  toContainEqual(member: unknown): void {
    this.#check(
      'to contain',
      this.#list().some((each) => isEqual(each, member)),
      member,
    )
  }

  toHaveLength(length: number): void {
    this.#check('to have the length', this.#list().length === length, length)
  }

  toHaveProperty(name: string): void {
    const has = typeof this.#actual === 'object' && this.#actual !== null && name in this.#actual
    this.#check('to have the property', has, name)
  }

  /** For a function that has to throw. */
  toThrow(expected: Thrown): void {
    if (typeof this.#actual !== 'function') throw new TypeError('expected a function')
    let error: unknown
    try {
      Reflect.apply(this.#actual, undefined, [])
    } catch (thrown) {
      error = thrown
    }
    new Expectation(error).#toBeError(expected)
  }

  #toBeError(expected: Thrown): void {
    const message = this.#actual instanceof Error ? this.#actual.message : String(this.#actual)
    if (typeof expected === 'function') this.toBeInstanceOf(expected)
    else if (typeof expected === 'string') this.#check('to say', message.includes(expected), expected)
    else this.#check('to say', expected.test(message), expected)
  }

  #number(): number {
    if (typeof this.#actual !== 'number')
      throw new TypeError(`expected a number, got ${inspect(this.#actual)}`)
    return this.#actual
  }

  #list(): readonly unknown[] {
    if (!Array.isArray(this.#actual)) throw new TypeError(`expected a list, got ${inspect(this.#actual)}`)
    return this.#actual
  }

  #check(what: string, holds: boolean, expected: unknown): void {
    if (holds === this.#isWanted) return
    const actual = this.#actual
    const wanted = this.#isWanted ? what : `not ${what}`
    const message = `expected ${inspect(actual)} ${wanted} ${inspect(expected)}`
    throw new AssertionError({ message, actual, expected, operator: what, stackStartFn: this.#check })
  }
}

/** Compares a value by its own methods, so that the suite needs none of a test runner. */
export const expect = (actual: unknown): Expectation => new Expectation(actual)

/** Any value of that type. */
export const anyOf = (type: 'number' | 'boolean' | typeof Date): Sort =>
  typeof type === 'string'
    ? new Sort(`any ${type}`, (value) => typeof value === type)
    : new Sort('any Date', (value) => value instanceof type)

/** Any text with that in it. */
export const textWith = (part: string | RegExp): Sort =>
  new Sort(`text with ${String(part)}`, (value) => {
    if (typeof value !== 'string') return false
    return typeof part === 'string' ? value.includes(part) : part.test(value)
  })

/** Any list that has these members, and perhaps others. */
export const listWith = (members: readonly unknown[]): Sort =>
  new Sort(`list with ${inspect(members)}`, (value) => {
    if (!Array.isArray(value)) return false
    return members.every((member) => value.some((each) => isEqual(each, member)))
  })
