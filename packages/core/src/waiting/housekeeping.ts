import { splitIntoBatches } from '@holdfast/watchdog'
import type { LockSteps } from '../engine/lock-steps.js'
import type { StoreClient } from '../store-client.js'
import { outsideAllCalls } from '../util/background.js'
import { momentNow } from '../util/clock.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

/**
 * Periodic work for holders and waiters besides renewing, also done right after anything that may have lost a
 * notification.
 */
export class Housekeeping {
  readonly #store: StoreClient
  #interval: NodeJS.Timeout | undefined
  #isRefreshing = false

  constructor(store: StoreClient) {
    this.#store = store
  }

  /** Does nothing when it has begun. */
  begin(): void {
    // The timer would carry the context of the first call on.
    this.#interval ??= outsideAllCalls(() => setInterval(this.#onInterval, this.#store.settings.renewEveryMs))
    // This timer must not keep the process alive: without connections there is nothing to refresh.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }

  /** After a break everything may be different: holders and waiters check at once. */
  recover(): void {
    this.#store.watchdog.renewNow()
    this.checkWaiters()
  }

  /**
   * Messages or replies may have been missed. Those in a queue check together how they stand: after a failover a server
   * may have thousands of clients that all have to know.
   */
  checkWaiters(): void {
    const { waiters, steps, background } = this.#store
    waiters.wakeUnqueued()
    const refreshed = refreshEntries(waiters, steps).catch((error: unknown) => {
      waiters.wakeQueued()
      throw error
    })
    background.run(refreshed)
  }

  readonly #onInterval = (): void => {
    const { holds, waiters, steps, session, background } = this.#store
    if (holds.size === 0 && waiters.size === 0) return
    this.#store.onRound()
    background.run(session.registry.register())
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const refreshed = refreshEntries(waiters, steps).finally(() => {
      this.#isRefreshing = false
    })
    background.run(refreshed)
  }
}

const maxBatch = 500

/**
 * Keeps the queue entries of all waiters alive, many in one command. Waiters that were granted the lock without being
 * notified, or that lost their entry, request again.
 */
async function refreshEntries(waiters: WaiterTable, steps: LockSteps): Promise<void> {
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
