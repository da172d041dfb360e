import { splitIntoBatches } from '@holdfast/watchdog'
import type { EngineSession } from '../engine/session.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

const maxBatch = 500

/**
 * Keeps the queue entries of all waiters alive, many in one command. Waiters that were granted the lock without being
 * notified, or that lost their entry, request again.
 */
export async function refreshEntries(
  waiters: WaiterTable,
  session: Pick<EngineSession, 'refresh'>,
): Promise<void> {
  const batches = [...splitIntoBatches(waiters.queued(), ({ address }) => address.group, maxBatch)]
  await Promise.all(batches.map((batch) => refreshBatch(batch, waiters, session)))
}

async function refreshBatch(
  batch: readonly Waiter[],
  waiters: WaiterTable,
  session: Pick<EngineSession, 'refresh'>,
): Promise<void> {
  const entries = batch.map(({ address, owner, entryTtlMs }) => ({ address, owner, entryTtlMs }))
  const replies = await session.refresh(entries)
  batch.forEach((waiter, i) => {
    const reply = replies[i]
    if (reply?.state === 'waiting') waiters.noteTtl(waiter.address, reply.ttlMs)
    else waiter.wake()
  })
}
