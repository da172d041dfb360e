import { Holdfast } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeStock, reserve } from './reserve.mjs'

let store, holdfast, rival

beforeEach(() => {
  store = memory()
  holdfast = new Holdfast({ engine: store })
  rival = new Holdfast({ engine: store, label: 'rival' })
})

afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([holdfast.close(), rival.close()])
  expect(store.leaks()).toEqual([])
})

it('sells each item once', async () => {
  const stock = makeStock({ umbrella: 2 })
  const outcomes = await Promise.all([1, 2, 3].map(() => reserve(holdfast, stock, 'umbrella')))
  expect(outcomes).toEqual(['reserved', 'reserved', 'sold out'])
})

it('gives up after five seconds', async () => {
  vi.useFakeTimers()
  const lease = await rival.getLock('stock:umbrella').lock()
  const outcome = reserve(holdfast, makeStock({ umbrella: 1 }), 'umbrella')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await outcome).toBe('busy')
  await lease.unlock()
})

it('keeps its lock through an hour of work', async () => {
  vi.useFakeTimers()
  const lease = await holdfast.getLock('report').lock()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})
