import assert from 'node:assert/strict'
import { afterEach, beforeEach, it, mock } from 'node:test'
import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { makeStock, reserve } from './reserve.mjs'

let store, holdfast, rival

/** Lets time pass in steps, so that what a timer starts can finish before the next one fires. */
async function settle() {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve()
}

async function advance(ms, stepMs = 1_000) {
  await settle() // what the code does before it first sleeps
  for (let passed = 0; passed < ms; passed += stepMs) {
    mock.timers.tick(Math.min(stepMs, ms - passed))
    await settle()
  }
}

beforeEach(() => {
  store = memory()
  holdfast = new Holdfast({ engine: store })
  rival = new Holdfast({ engine: store, label: 'rival' })
})

afterEach(async () => {
  mock.timers.reset()
  await Promise.all([holdfast.close(), rival.close()])
  assert.deepEqual(store.leaks(), [])
})

it('sells each item once', async () => {
  const stock = makeStock({ umbrella: 2 })
  const outcomes = await Promise.all([1, 2, 3].map(() => reserve(holdfast, stock, 'umbrella')))
  assert.deepEqual(outcomes, ['reserved', 'reserved', 'sold out'])
})

it('gives up after five seconds', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
  const lease = await rival.getLock('stock:umbrella').lock()
  const outcome = reserve(holdfast, makeStock({ umbrella: 1 }), 'umbrella')
  await advance(5_000)
  assert.equal(await outcome, 'busy')
  await lease.unlock()
})

it('keeps its lock through an hour of work', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
  const lease = await holdfast.getLock('report').lock()
  await advance(3_600_000)
  assert.equal(lease.isHeld, true)
  await lease.unlock()
})
