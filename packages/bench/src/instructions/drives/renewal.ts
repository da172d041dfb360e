import { Holdfast } from '@holdfast/core'
import { recordBatch, type Batch } from './batch.js'
import type { Drive } from './drive.js'
import { plainLocks, type Kind } from './kinds.js'

/** The watchdog renews all holds of one client in one call. A cycle is the renewal of one hold. */
export const renewal =
  (batch: Batch, kind: Kind = plainLocks): Drive =>
  async (url, tape) => {
    const client = new Holdfast({ redis: url, watchdogTimeoutMs: batch.watchdogTimeoutMs })
    try {
      const locks = Array.from({ length: batch.size }, (_, n) => kind.get(client, `order:${n}`))
      await Promise.all(locks.map((lock) => lock.lock()))
      return await recordBatch(tape, batch, kind.keysPerHold)
    } finally {
      await client.close()
    }
  }
