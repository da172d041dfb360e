import type { LockEngine } from '@holdfast/core/engine'
import { memory } from '@holdfast/stores/memory'
import type { Redis } from 'ioredis'
import { findRedis } from './open-any-redis.js'
import { runProgram, withRedis } from './run-example.js'

/** Where locks are stored, as options of `new Holdfast`. */
export type LockStore = { readonly redis: Redis } | { readonly engine: LockEngine }

/**
 * Runs one example that needs a single process: on the Redis that is found, else with locks in the memory of that process.
 *
 * The process exits as with {@link runProgram}.
 */
export async function runLocalExample(
  name: string,
  main: (store: LockStore) => Promise<void>,
): Promise<void> {
  await runProgram(async (defer) => {
    const found = await findRedis()
    if (found) {
      await withRedis(Promise.resolve(found), name, ({ redis }) => main({ redis }), defer)
      return
    }
    console.log('Locks: in the memory of this process (no Redis found)\n')
    await main({ engine: memory() })
  })
}
