import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { Test } from '@nestjs/testing'
import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { getHoldfastToken, HoldfastModule } from '@holdfast/nestjs'
import { Orders, OrdersModule } from '../dist/nestjs/orders.js'

let store, app, rival

beforeEach(async () => {
  store = memory()
  rival = new Holdfast({ engine: store, label: 'rival' })
  const holdfast = HoldfastModule.forRoot({ engine: store })
  app = await Test.createTestingModule({ imports: [holdfast, OrdersModule] }).compile()
  await app.init()
})

afterEach(async () => {
  await Promise.all([app.close(), rival.close()])
  assert.deepEqual(store.leaks(), [])
})

it('does not cancel an order that another instance ships', async () => {
  const orders = app.get(Orders)
  await rival.getLock('order:7').withLock(async () => {
    await assert.rejects(orders.cancel('7'), { code: 'LOCK_TIMEOUT' })
  })
  assert.equal(await orders.cancel('7'), 'cancelled 7')
})

it('leaves the report to the instance that sends it', async () => {
  await rival.getLock('report').withLock(async () => {
    assert.equal(await app.get(Orders).report(), undefined)
  })
})

it('stops shipping when the lock is lost', async () => {
  app.get(getHoldfastToken()).once('acquired', ({ name }) => store.expire(name))
  await assert.rejects(app.get(Orders).ship('7'), { name: 'LockLostError' })
})
