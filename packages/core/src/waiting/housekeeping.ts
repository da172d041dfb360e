import type { LockSteps } from '../engine/lock-steps.js'
import type { Registry } from '../engine/registry.js'
import { outsideAllCalls } from '../util/background.js'
import type { Background } from '../util/background.js'
import { refreshEntries } from './refresh.js'
import type { WaiterTable } from './waiter-table.js'

/** What housekeeping needs of its client. */
export interface HousekeepingDeps {
  readonly everyMs: number
  readonly steps: LockSteps
  readonly registry: Registry
  readonly holds: { readonly size: number }
  readonly waiters: WaiterTable
  /** Renews everything that is held, now. */
  readonly watchdog: { renewNow(): void }
  readonly background: Pick<Background, 'run'>
  /** Called every time, if there are holds or waiters. */
  readonly onRound: (() => void) | undefined
}

/**
 * Periodic work for holders and waiters besides renewing, also done right after anything that may have lost a
 * notification.
 */
export class Housekeeping {
  readonly #deps: HousekeepingDeps
  #interval: NodeJS.Timeout | undefined
  #isRefreshing = false

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps
  }

  /** Does nothing when it has begun. */
  begin(): void {
    // The timer would carry the context of the first call on.
    this.#interval ??= outsideAllCalls(() => setInterval(this.#onInterval, this.#deps.everyMs))
    // This timer must not keep the process alive: without connections there is nothing to refresh.
    this.#interval.unref()
  }

  end(): void {
    clearInterval(this.#interval)
  }

  /** After a break everything may be different: holders and waiters check at once. */
  recover(): void {
    this.#deps.watchdog.renewNow()
    this.checkWaiters()
  }

  /**
   * Messages or replies may have been missed. Those in a queue check together how they stand: after a failover a server
   * may have thousands of clients that all have to know.
   */
  checkWaiters(): void {
    const { waiters, steps, background } = this.#deps
    waiters.wakeUnqueued()
    const refreshed = refreshEntries(waiters, steps).catch((error: unknown) => {
      waiters.wakeQueued()
      throw error
    })
    background.run(refreshed)
  }

  readonly #onInterval = (): void => {
    const { holds, waiters, steps, registry, background, onRound } = this.#deps
    if (holds.size === 0 && waiters.size === 0) return
    onRound?.()
    background.run(registry.register())
    if (this.#isRefreshing) return
    this.#isRefreshing = true
    const refreshed = refreshEntries(waiters, steps).finally(() => {
      this.#isRefreshing = false
    })
    background.run(refreshed)
  }
}
