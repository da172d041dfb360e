import { Holdfast, type Lease } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import { forEachConcurrently } from '../for-each-concurrently.js'
import type { Load } from './load.js'

/** What an application keeps: the leases, and the promises of its waiters. */
export function holdfastLoad(url: string): Load {
  const client = new Holdfast({ redis: url })
  client.on('error', (error) => console.error(error))
  const leases: Lease[] = []
  const waits: Promise<unknown>[] = []
  return {
    hold: (names) =>
      forEachConcurrently(names, async (name) => {
        leases.push(await client.getLock(name).lock())
      }),
    async wait(names) {
      for (const name of names) waits.push(client.getLock(name).lock())
      await until(() => client.stats().waiters === waits.length, {
        what: 'all waiters to be queued',
        timeoutMs: 30_000,
      })
    },
  }
}
