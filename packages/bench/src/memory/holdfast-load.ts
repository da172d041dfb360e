import { Holdfast } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import { forEachConcurrently } from '../for-each-concurrently.js'
import type { Load } from './load.js'

/** Acquires an object of this name, and returns what an application keeps of it. */
type Acquire = (client: Holdfast, name: string) => Promise<unknown>

const ofLock: Acquire = (client, name) => client.getLock(name).lock()
export const ofWriteLock: Acquire = (client, name) => client.getReadWriteLock(name).write.lock()
export const ofSemaphore: Acquire = (client, name) => client.getSemaphore(name, { permits: 1 }).acquire()

/** What an application keeps: the leases, and the promises of its waiters. */
export function holdfastLoad(url: string, acquire = ofLock): Load {
  const client = new Holdfast({ redis: url })
  client.on('error', (error) => console.error(error))
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
