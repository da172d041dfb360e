import type { Address } from '../engine/requests.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { sendRelease } from './release.js'
import type { ReleaseDeps } from './release.js'

/** What abandoning owners needs. */
export interface AbandonmentDeps extends ReleaseDeps {
  readonly settings: { readonly commandTimeoutMs: number; readonly watchdogTimeoutMs: number }
  readonly background: Pick<Background, 'run'>
}

/** Gives up owners that this client no longer acts for, so that what they may still hold does not keep others out. */
export class Abandonment {
  readonly #deps: AbandonmentDeps

  constructor(deps: AbandonmentDeps) {
    this.#deps = deps
  }

  /** How long a late request is refused: until anything it could bring about would have ended on its own. */
  tombstoneMs(leaseMs: number): number {
    const { watchdogTimeoutMs, commandTimeoutMs } = this.#deps.settings
    return Math.max(leaseMs, watchdogTimeoutMs) + 2 * commandTimeoutMs
  }

  /**
   * Gives up an owner's hold and queue entry, in the background and for as long as either could exist: a queue entry
   * lives for one watchdog time, a hold for the lease that was requested.
   *
   * @param inDoubt - a request of this owner may still be on its way
   */
  abandon(address: Address, owner: string, inDoubt: boolean, leaseMs: number): void {
    const tombstoneMs = this.tombstoneMs(leaseMs)
    const release = {
      address,
      owner,
      count: 0,
      tombstoneMs: inDoubt ? tombstoneMs : 0,
      until: monotonicMs() + tombstoneMs,
      incarnation: undefined,
    }
    this.#deps.background.run(sendRelease(this.#deps, release))
  }
}
