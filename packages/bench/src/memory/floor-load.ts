import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { forEachConcurrently } from '../for-each-concurrently.js'
import type { Load } from './load.js'

const leaseMs = 300_000

/** The minimum that must be kept: a held lock's name and token, a waiter's promise under its id. */
export function floorLoad(url: string): Load {
  const redis = new Redis(url)
  const tokens = new Map<string, string>()
  const waiters = new Map<string, () => void>()
  const waits: Promise<void>[] = []
  const inbox = randomUUID()
  let owners = 0
  return {
    hold: (names) =>
      forEachConcurrently(names, async (name) => {
        const token = `${inbox}:${++owners}`
        await redis.set(name, token, 'PX', leaseMs, 'NX')
        tokens.set(name, token)
      }),
    wait: (names) =>
      forEachConcurrently(names, async (name) => {
        const id = `${inbox}:${++owners}`
        waits.push(new Promise((resolve) => waiters.set(id, resolve)))
        await redis.rpush(`${name}:queue`, id)
      }),
  }
}
