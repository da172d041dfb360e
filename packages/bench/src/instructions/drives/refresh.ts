import { Holdfast } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import { recordBatch, type Batch } from './batch.js'
import type { Drive } from './drive.js'
import { plainLocks, type Kind } from './kinds.js'

/**
 * One call refreshes the queue entries of all waiters of one client, which are evenly distributed over that many locks. A
 * cycle is the refresh of one entry.
 */
export const refresh =
  (batch: Batch, lockCount: number, kind: Kind = plainLocks): Drive =>
  async (url, tape) => {
    const { size, watchdogTimeoutMs } = batch
    const client = new Holdfast({ redis: url, watchdogTimeoutMs, maxWaiters: size })
    const giveUp = new AbortController()
    try {
      let queued = 0
      client.on('waiting', () => (queued += 1))
      const locks = Array.from({ length: lockCount }, (_, n) => kind.get(client, `order:${n}`))
      await Promise.all(locks.map((lock) => lock.lock()))
      const waits = Array.from({ length: size / lockCount }, () =>
        locks.map((lock) => lock.lock({ signal: giveUp.signal })),
      ).flat()
      const ended = Promise.allSettled(waits)
      await until(() => queued === size, { what: 'all waiters to queue', timeoutMs: 60_000 })
      const recording = await recordBatch(tape, batch, kind.keysPerEntry)
      giveUp.abort()
      await ended
      return recording
    } finally {
      await client.close()
    }
  }
