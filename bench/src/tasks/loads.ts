import { randomUUID } from 'node:crypto'
import type { Holdfast } from '@holdfast/core'
import { until } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { enterWrite, openClient } from '../adapters/holdfast.js'
import { forEachConcurrently } from '../for-each-concurrently.js'

/** Something whose locks and waiters are weighed, in this process and at the server. */
export interface Load {
  /** Takes these locks and keeps them. */
  hold(names: readonly string[]): Promise<void>
  /** Adds one waiter for each of these locks, which waits indefinitely. Resolves when the server has all of them. */
  wait(names: readonly string[]): Promise<void>
}

const leaseMs = 300_000

/** The minimum that must be kept: a held lock's name and token, a waiter's promise under its id. */
function floorLoad(url: string): Load {
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

/** What an application keeps: the leases, and the promises of its waiters. */
const holdfastLoad =
  (acquire: (client: Holdfast, name: string) => Promise<unknown>) =>
  (url: string): Load => {
    const client = openClient({ redis: url })
    const leases: unknown[] = []
    const waits: Promise<unknown>[] = []
    return {
      hold: (names) =>
        forEachConcurrently(names, async (name) => {
          leases.push(await acquire(client, name))
        }),
      async wait(names) {
        for (const name of names) waits.push(acquire(client, name))
        await until(() => client.stats().waiters === waits.length, {
          what: 'all waiters to be queued',
          timeoutMs: 30_000,
        })
      },
    }
  }

export const loads = {
  floor: floorLoad,
  lock: holdfastLoad((client, name) => client.getLock(name).lock()),
  'write lock': holdfastLoad(enterWrite),
  semaphore: holdfastLoad((client, name) => client.getSemaphore(name, { permits: 1 }).acquire()),
}
