import { Holdfast } from '@holdfast/core'
import type { OpenHolder } from './holder.js'

export const holdWithHoldfast: OpenHolder = (url, leaseMs) => {
  const client = new Holdfast({ redis: url, watchdogTimeoutMs: leaseMs })
  client.on('error', (error) => console.error(error))
  return Promise.resolve({
    async hold(name) {
      await client.getLock(name).lock()
    },
    lost: () => client.stats().lost,
  })
}
