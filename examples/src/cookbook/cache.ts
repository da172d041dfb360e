import type { Holdfast } from '@holdfast/core'
import type { Redis } from 'ioredis'

/** The cached value, or what `load` makes of it: one caller loads, and the others get what it stored. */
export async function cached(
  holdfast: Holdfast,
  redis: Redis,
  key: string,
  ttlMs: number,
  load: () => Promise<string>,
): Promise<string> {
  const found = await redis.get(key)
  if (found !== null) return found
  return holdfast.getLock(`cache:${key}`).withLock({ waitMs: 10_000 }, async () => {
    // Read again: the previous holder may have stored it.
    const stored = await redis.get(key)
    if (stored !== null) return stored
    const loaded = await load()
    await redis.set(key, loaded, 'PX', ttlMs)
    return loaded
  })
}
