// What a program needs of the runtime that it is on, each promise once: Node.js, Bun or Deno.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Holdfast, LockLostError } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { nodeRedis } from '@holdfast/core/node-redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

const runtime = globalThis.Bun ? 'Bun' : globalThis.Deno ? 'Deno' : 'Node.js'
const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'

/** Two clients that share a store. */
async function keepsItsPromises(name, open) {
  const [one, other] = [open(), open()]
  const key = `runtime-${process.pid}`
  const [ours, theirs] = [one.getLock(key), other.getLock(key)]

  await ours.withLock(async (outer) => {
    await sleep(1)
    const depths = await Promise.all([1, 2].map(() => ours.withLock(async ({ holdCount }) => holdCount > 1)))
    assert.deepEqual([outer.holdCount, ...depths], [1, true, true], 'nested calls re-enter after an await')
    assert.equal(await theirs.tryLock({ waitMs: 0 }), null, 'a rival stays out')
  })

  const held = await ours.lock()
  const waiting = theirs.lock({ waitMs: 10_000 })
  while ((await ours.inspect()).waiters.length === 0) await sleep(5)
  await held.unlock()
  const handed = await waiting
  assert.ok(handed.fencingToken > held.fencingToken, 'a waiter is handed the lock')

  const lost = once(handed.signal, 'abort')
  await ours.forceUnlock()
  await lost
  assert.ok(handed.signal.reason instanceof LockLostError, 'an eviction aborts the signal')

  const kept = await ours.lock()
  await other.close()
  await assert.rejects(theirs.lock(), 'a closed client gives no lock')
  await kept.unlock()
  await one.close()
  console.log(`${runtime}  ${name}: nesting, exclusion, hand-off, loss and close`)
}

await keepsItsPromises('Redis', () => new Holdfast({ redis: url, watchdogTimeoutMs: 3_000 }))
const redis = new Redis(url)
await keepsItsPromises('Redis, node-redis', () => new Holdfast({ redis: nodeRedis(createClient({ url })) }))
await keepsItsPromises('Redis, an instance of ioredis', () => new Holdfast({ redis }))
redis.disconnect()
const engine = memory()
await keepsItsPromises('memory', () => new Holdfast({ engine }))
