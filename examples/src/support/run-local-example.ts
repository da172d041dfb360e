import type { LockEngine } from '@holdfast/core/engine'
import { memory } from '@holdfast/memory'
import type { Redis } from 'ioredis'
import { findRedis } from './open-any-redis.js'
import { playOn, runStory } from './run-example.js'

/** Where locks are stored, as options of `new Holdfast`. */
export type LockStore = { readonly redis: Redis } | { readonly engine: LockEngine }

/**
 * Runs one example that needs a single process: on the Redis that is found, else with locks in the memory of that process.
 *
 * The process ends as with {@link runStory}.
 */
export async function runLocalExample(
  name: string,
  story: (store: LockStore) => Promise<void>,
): Promise<void> {
  await runStory(async (defer) => {
    const found = await findRedis()
    if (found) {
      await playOn(Promise.resolve(found), name, ({ redis }) => story({ redis }), defer)
      return
    }
    console.log('Locks: in the memory of this process (no Redis found)\n')
    await story({ engine: memory() })
  })
}
