import { InvalidArgumentError } from '../errors/errors.js'
import type { AcquireOptions } from '../options/options.js'
import { locked, type WithLock } from './locked.js'

/** A lock that only tells what happens. */
class Telling implements WithLock {
  constructor(
    readonly name: string,
    readonly told: unknown[] = [],
  ) {}

  async withLock<T>(options: AcquireOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T> {
    this.told.push([`in ${this.name}`, options])
    const result = await fn()
    this.told.push(`out of ${this.name}`)
    return result
  }
}

/** A call that the types forbid. */
const call = (fn: object, ...args: unknown[]): unknown => {
  if (typeof fn !== 'function') throw new Error('no function')
  return Reflect.apply(fn, undefined, args)
}

const functionFrom = (fn: object, ...args: unknown[]): ((...args: unknown[]) => unknown) => {
  const made = call(fn, ...args)
  return (...later) => call(Object(made) as object, ...later)
}

describe('a function', () => {
  it('runs inside the lock until its promise settles, with its arguments, its `this` and its name', async () => {
    const lock = new Telling('a')
    const options = { waitMs: 5 }
    async function add(this: { base: number }, first: number, second: number): Promise<number> {
      await Promise.resolve()
      lock.told.push('runs')
      return this.base + first + second
    }
    const held = locked(lock, options)(add)
    expect(await held.call({ base: 100 }, 20, 3)).toBe(123)
    expect(lock.told).toEqual([['in a', options], 'runs', 'out of a'])
    expect([held.name, held.length]).toEqual(['add', 2])
  })

  it('derives its lock from the arguments and `this` of the call', async () => {
    const told: unknown[] = []
    const lockOf = function (this: { shop: string }, id: number): WithLock {
      return new Telling(`${this.shop}:${id}`, told)
    }
    const ship = locked(lockOf)(function (this: { shop: string }, id: number, by: string) {
      return Promise.resolve(`${id} by ${by} from ${this.shop}`)
    })
    expect(await ship.call({ shop: 'x' }, 7, 'post')).toBe('7 by post from x')
    expect(told).toEqual([['in x:7', undefined], 'out of x:7'])
  })

  it('does not run unlocked, whatever takes the place of the lock', async () => {
    const run = jest.fn(() => Promise.resolve())
    for (const given of [undefined, null, 'order:1', Promise.resolve(new Telling('late'))]) {
      const held = functionFrom(
        functionFrom(locked, () => given),
        run,
      )
      await expect(held()).rejects.toThrow(
        /the function passed to locked must return a lock, got .*; write locked/,
      )
    }
    expect(run).not.toHaveBeenCalled()
  })
})

describe('a decorator', () => {
  class Orders {
    readonly told: unknown[] = []

    ship(id: string): Promise<string> {
      return Promise.resolve(`${id}, told ${this.told.length}`)
    }
  }
  const lockOf = function (this: Orders, id: string): WithLock {
    return new Telling(id, this.told)
  }

  it.each(['of the standard', 'of TypeScript'])('%s works on a method', async (kind) => {
    class Shop extends Orders {}
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'ship')
    if (!descriptor) throw new Error('no method')
    const value: unknown = descriptor.value
    const made =
      kind === 'of TypeScript'
        ? call(locked(lockOf), Shop.prototype, 'ship', descriptor)
        : { ...descriptor, value: call(locked(lockOf), value, { kind: 'method' }) }
    Object.defineProperty(Shop.prototype, 'ship', Object(made) as PropertyDescriptor)
    expect(await new Shop().ship('a')).toBe('a, told 1')
  })

  it.each([
    [[undefined, { kind: 'field' }], 'a field'],
    [[Orders, { kind: 'class' }], 'a class'],
    [[() => 1, { kind: 'getter' }], 'a getter'],
    [[Orders.prototype, 'told'], 'a property or accessor'],
    [[Orders.prototype, 'told', { get: () => 1 }], 'a property or accessor'],
  ])('is refused on anything else', (given, what) => {
    expect(() => call(locked(new Telling('a')), ...given)).toThrow(
      `@locked can only decorate a method, got ${what}; put it on the method that does the work`,
    )
  })
})

it.each([
  [['order:1'], /locked needs a lock, or a function that returns one, got 'order:1'; write locked\(/],
  [[undefined], /got undefined/],
  [[new Telling('a'), { wait: 1 }], /unknown option 'wait' \(did you mean waitMs\?\)/],
])('refuses at once what it cannot take', (given, message) => {
  expect(() => call(locked, ...given)).toThrow(InvalidArgumentError)
  expect(() => call(locked, ...given)).toThrow(message)
})

it('rejects anything but a function, and generator functions', () => {
  for (const given of [Promise.resolve(), 5, function* steps() {}])
    expect(() => call(locked(new Telling('a')), given)).toThrow(/locked\(lock\) needs a function/)
})
