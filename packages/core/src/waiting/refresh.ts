import { splitIntoBatches } from '@holdfast/watchdog'
import type { LockSteps } from '../engine/lock-steps.js'
import { momentNow } from '../util/clock.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

const maxBatch = 500

/**
 * Keeps the queue entries of all waiters alive, many in one command. Waiters that were granted the lock without being
 * notified, or that lost their entry, request again.
 */
export async function refreshEntries(waiters: WaiterTable, steps: LockSteps): Promise<void> {
  const queued = waiters.queued()
  const entries = queued.filter(({ awaited }) => !awaited)
  const batches = [...splitIntoBatches(entries, ({ address }) => address.group, maxBatch)]
  const refreshing = batches.map((batch) => refreshBatch(batch, waiters, steps))
  await Promise.all([...refreshing, waiters.refreshLatches?.(queued.filter(({ awaited }) => awaited))])
}

async function refreshBatch(batch: readonly Waiter[], waiters: WaiterTable, steps: LockSteps): Promise<void> {
  const entries = batch.map(({ address, owner, entryTtlMs }) => ({ address, owner, entryTtlMs }))
  const { gaps } = waiters
  const askedAt = momentNow()
  const replies = await steps.refresh(entries)
  batch.forEach((waiter, i) => {
    const reply = replies[i]
    if (reply?.state !== 'waiting') {
      waiter.wake()
      return
    }
    // A reply from before a gap says nothing of what was missed in it.
    if (gaps === waiters.gaps) waiter.trust?.()
    waiter.refreshed?.(reply, askedAt)
    waiters.noteTtl(waiter.address, reply.ttlMs)
  })
}
