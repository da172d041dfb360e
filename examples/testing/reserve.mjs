import { LockTimeoutError } from '@holdfast/core'

/** The code to test: takes one item from the stock, one caller at a time, and gives up when that takes too long. */
export async function reserve(holdfast, stock, item) {
  try {
    return await holdfast.getLock(`stock:${item}`).withLock({ waitMs: 5_000 }, async (lease) => {
      const left = await stock.count(item)
      if (left === 0) return 'sold out'
      lease.assertHeld()
      await stock.set(item, left - 1)
      return 'reserved'
    })
  } catch (error) {
    if (error instanceof LockTimeoutError) return 'busy'
    throw error
  }
}

/** A stock whose reads and writes take a moment, as those of a database do. */
export function makeStock(counts) {
  const stored = new Map(Object.entries(counts))
  return {
    count: async (item) => stored.get(item) ?? 0,
    set: async (item, count) => void stored.set(item, count),
  }
}
