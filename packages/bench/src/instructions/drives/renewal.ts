import { Holdfast } from '@holdfast/core'
import { recordBatch, type Batch } from './batch.js'
import type { Drive } from './drive.js'

/** The watchdog renews all holds of one client in one call. A cycle is the renewal of one hold. */
export const renewal =
  (batch: Batch): Drive =>
  async (url, tape) => {
    const client = new Holdfast({ redis: url, watchdogTimeoutMs: batch.watchdogTimeoutMs })
    try {
      const locks = Array.from({ length: batch.size }, (_, n) => client.getLock(`order:${n}`))
      await Promise.all(locks.map((lock) => lock.lock()))
      return await recordBatch(tape, batch, 1)
    } finally {
      await client.close()
    }
  }
