import { Holdfast, type Lease } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import { eachOf } from '../bounded.js'
import type { Load } from './load.js'

/** As an application keeps them: the leases, and the promises of those that wait. */
export function holdfastLoad(url: string): Load {
  const client = new Holdfast({ redis: url })
  client.on('error', (error) => console.error(error))
  const leases: Lease[] = []
  const waits: Promise<unknown>[] = []
  return {
    hold: (names) =>
      eachOf(names, async (name) => {
        leases.push(await client.getLock(name).lock())
      }),
    async wait(names) {
      for (const name of names) waits.push(client.getLock(name).lock())
      await until(() => client.stats().waiters === waits.length, {
        what: 'all to wait',
        timeoutMs: 30_000,
      })
    },
  }
}
