import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { jest } from '@jest/globals'
import { makeStock, reserve } from './reserve.mjs'

let store, holdfast, rival

beforeEach(() => {
  store = memory()
  holdfast = new Holdfast({ engine: store })
  rival = new Holdfast({ engine: store, label: 'rival' })
})

afterEach(async () => {
  jest.useRealTimers()
  await Promise.all([holdfast.close(), rival.close()])
  expect(store.leaks()).toEqual([])
})

it('sells each item once', async () => {
  const stock = makeStock({ umbrella: 2 })
  const outcomes = await Promise.all([1, 2, 3].map(() => reserve(holdfast, stock, 'umbrella')))
  expect(outcomes).toEqual(['reserved', 'reserved', 'sold out'])
})

it('gives up after five seconds', async () => {
  jest.useFakeTimers()
  const lease = await rival.getLock('stock:umbrella').lock()
  const outcome = reserve(holdfast, makeStock({ umbrella: 1 }), 'umbrella')
  await jest.advanceTimersByTimeAsync(5_000)
  expect(await outcome).toBe('busy')
  await lease.unlock()
})

it('keeps its lock through an hour of work', async () => {
  jest.useFakeTimers()
  const lease = await holdfast.getLock('report').lock()
  await jest.advanceTimersByTimeAsync(3_600_000)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})
