import type { Address } from '../engine/requests.js'
import { RefusedError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { pause, retryAfterMs } from '../util/backoff.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { sendRelease } from './release.js'
import type { PendingRelease, ReleaseDeps } from './release.js'

/** What abandoning owners needs. */
export interface AbandonmentDeps extends ReleaseDeps {
  readonly settings: ReleaseDeps['settings'] & { readonly watchdogTimeoutMs: number }
  readonly background: Pick<Background, 'run' | 'isEnded'>
  readonly events: Pick<Events, 'emitError'>
}

/** An owner to give up. */
export interface AbandonedOwner {
  readonly address: Address
  /** Names the object in messages. */
  readonly title: string
  readonly owner: string
  /** Whether a request of this owner may still be on its way. */
  readonly inDoubt: boolean
  /** The lease that it requested. */
  readonly leaseMs: number
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
   */
  abandon({ address, title, owner, inDoubt, leaseMs }: AbandonedOwner): void {
    const tombstoneMs = this.tombstoneMs(leaseMs)
    const release = {
      address,
      title,
      owner,
      count: 0,
      tombstoneMs: inDoubt ? tombstoneMs : 0,
      until: monotonicMs() + tombstoneMs,
      incarnation: undefined,
      failures: 0,
      wasDenied: false,
    }
    this.#deps.background.run(this.#release(release))
  }

  /** The store may refuse it for a while only, as when its password changes: the first refusal is reported, and all are retried. */
  async #release(release: PendingRelease): Promise<void> {
    for (let refusals = 0; ;) {
      try {
        await sendRelease(this.#deps, release, Infinity)
        return
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error
        refusals++
        if (refusals === 1) this.#deps.events.emitError(error)
        const leftMs = release.until - monotonicMs()
        if (leftMs <= 0) return
        await pause(Math.min(retryAfterMs(refusals), leftMs))
      }
    }
  }
}
