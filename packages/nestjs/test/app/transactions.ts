import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { WithLock } from '@holdfast/nestjs'
import { holdfastIn, withContext } from './boot.js'
import { scenario } from './scenario.js'

interface Row {
  left: number
}

/** What the transaction around a call has written, as `typeorm-transactional` and the like keep it. */
const written = new AsyncLocalStorage<Partial<Row>>()

/** What a transaction has written shows to others once it has committed, which takes a round trip. */
const Transactional =
  (): MethodDecorator =>
  (_target, _key, descriptor: PropertyDescriptor): void => {
    const method = descriptor.value as (this: Stock) => Promise<void>
    descriptor.value = function (this: Stock) {
      return written.run({}, async () => {
        await method.call(this)
        await delay(2)
        Object.assign(this.committed, written.getStore())
      })
    }
  }

@Injectable()
class Stock {
  readonly committed: Row = { left: 20 }

  @WithLock('stock')
  @Transactional()
  async commitInside(): Promise<void> {
    await this.#takeOne()
  }

  @Transactional()
  @WithLock('stock')
  async commitOutside(): Promise<void> {
    await this.#takeOne()
  }

  async #takeOne(): Promise<void> {
    const { left } = this.committed
    await Promise.resolve()
    Object.assign(written.getStore() ?? {}, { left: left - 1 })
  }
}

scenario('a transaction under @WithLock commits before the release; around it, updates are lost', () =>
  withContext({ imports: [holdfastIn()], providers: [Stock] }, async (app) => {
    const stock = app.get(Stock)
    await Promise.all(Array.from({ length: 10 }, () => stock.commitInside()))
    assert.equal(stock.committed.left, 10)
    await Promise.all(Array.from({ length: 10 }, () => stock.commitOutside()))
    assert.notEqual(stock.committed.left, 0)
  }),
)
