import assert from 'node:assert/strict'
import { Injectable } from '@nestjs/common'
import { InvalidArgumentError } from '@holdfast/core'
import { currentLease, WithLock } from '@holdfast/nestjs'
import { holdfastIn, withContext } from './boot.js'
import { scenario } from './scenario.js'

interface Order {
  readonly id: unknown
  readonly tenant?: unknown
}

@Injectable()
class Named {
  runs = 0

  @WithLock('order:{0.id}')
  async byField(_order?: Order | null): Promise<string> {
    return this.#name()
  }

  @WithLock('order:{0}:{1}')
  async byBoth(_first: unknown, _second: unknown): Promise<string> {
    return this.#name()
  }

  @WithLock('{{0.tenant}}:order:{0.id}')
  async inSlot(_order: Order): Promise<string> {
    return this.#name()
  }

  @WithLock(() => '')
  async byEmpty(): Promise<string> {
    return this.#name()
  }

  @WithLock((() => Promise.resolve('a')) as unknown as () => string)
  async byPromise(): Promise<string> {
    return this.#name()
  }

  @WithLock('nightly', { waitMs: -1 })
  async badWait(): Promise<string> {
    return this.#name()
  }

  async #name(): Promise<string> {
    this.runs += 1
    return Promise.resolve(currentLease().name)
  }
}

const withNamed = (use: (named: Named) => Promise<void>): Promise<void> =>
  withContext({ imports: [holdfastIn()], providers: [Named] }, (app) => use(app.get(Named)))

scenario(
  'undefined, null, empty strings, objects and NaN in a template throw, and the method does not run',
  () =>
    withNamed(async (named) => {
      const bad: [unknown, string][] = [
        [undefined, 'undefined'],
        [null, 'null'],
        ['', "''"],
        [{ secret: 1 }, 'an object'],
        [['7'], 'an object'],
        [() => '7', 'a function'],
        [Number.NaN, 'NaN'],
        [Symbol('7'), 'Symbol(7)'],
      ]
      for (const [id, shown] of bad)
        await assert.rejects(named.byField({ id }), (error: Error) => {
          assert(error.message.startsWith(`{0.id} in the lock name 'order:{0.id}' must be`), error.message)
          assert(error.message.includes(`got ${shown};`), error.message)
          return error instanceof InvalidArgumentError
        })
      for (const order of [undefined, null]) await assert.rejects(named.byField(order), /got undefined/)
      await assert.rejects(named.byBoth('7', undefined), /^[^{]*\{1\} in the lock name/)
      assert.equal(named.runs, 0)
    }),
)

scenario('values of a template go through lockName, so that none reads as two', () =>
  withNamed(async (named) => {
    assert.equal(await named.byField({ id: '7' }), 'order:7')
    assert.equal(await named.byField({ id: 7n }), 'order:7')
    assert.equal(await named.byBoth(0, false), 'order:0:false')
    assert.equal(await named.byBoth('a:b', 'c'), 'order:a%3Ab:c')
    assert.equal(await named.byBoth('a', '{1}'), 'order:a:%7B1%7D')
  }),
)

scenario('a placeholder in braces keeps the hash tag of Redis Cluster', () =>
  withNamed(async (named) => {
    assert.equal(await named.inSlot({ tenant: 't', id: 7 }), '{t}:order:7')
    assert.equal(await named.inSlot({ tenant: '}{', id: 7 }), '{%7D%7B}:order:7')
    await assert.rejects(named.inSlot({ id: 7 }), InvalidArgumentError)
  }),
)

scenario('a key function must return the name, and options of an acquisition are checked before it', () =>
  withNamed(async (named) => {
    await assert.rejects(named.byEmpty(), /key function of @WithLock on Named\.byEmpty must return.*got ''/)
    await assert.rejects(named.byPromise(), /must return the name of a lock, got Promise/)
    await assert.rejects(named.badWait(), /waitMs must be/)
    assert.equal(named.runs, 0)
  }),
)

scenario('braces that are no placeholder are refused when a class is decorated', () => {
  const bad = [
    'order:{id}',
    'order:{0',
    'order:{0.}',
    '{0}{tenant}',
    '{{0}}{{1}}',
    'order:{}',
    '{{tenant}}:{0}',
  ]
  for (const template of bad) assert.throws(() => WithLock(template), InvalidArgumentError, template)
  for (const template of ['nightly', '{0}', '{0.a.b}:{1}', '{{0}}', '{t:{0}:{1}}:{2}']) WithLock(template)
  return Promise.resolve()
})
