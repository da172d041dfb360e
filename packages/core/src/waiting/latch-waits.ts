import type { Awaited, LatchSession, LatchWaitReply } from '../engine/latch.js'
import type { AcquireRequest, Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import type { Requests } from './acquisition-deps.js'

export interface LatchWaitsDeps {
  readonly session: Pick<
    EngineSession,
    'connectionEpoch' | 'isSubscribed' | 'subscribe' | 'watch' | 'unwatch'
  >
  readonly latches: Pick<LatchSession, 'wait'>
  /** All waiters of a client are notified together, so each asks for that for as long as the client lets any of them live. */
  readonly aliveMs: number
}

/** Makes the requests of acquisitions waits for latches. */
export class LatchWaits implements Requests {
  readonly #deps: LatchWaitsDeps

  constructor(deps: LatchWaitsDeps) {
    this.#deps = deps
  }

  get connectionEpoch(): number {
    return this.#deps.session.connectionEpoch
  }

  async acquire(
    address: Address,
    { entryTtlMs }: Pick<AcquireRequest, 'entryTtlMs'>,
    timeoutMs: number,
    awaited: Awaited | undefined,
  ): Promise<LatchWaitReply> {
    const { latches, aliveMs } = this.#deps
    const wait = { address, awaited, aliveMs: entryTtlMs > 0 ? aliveMs : 0 }
    const [reply] = await latches.wait([wait], timeoutMs)
    return reply ?? { kind: 'gone' }
  }

  isSubscribed(address: Address): boolean {
    return this.#deps.session.isSubscribed(address)
  }

  subscribe(address: Address): Promise<void> {
    return this.#deps.session.subscribe(address)
  }

  /**
   * Has acquisitions be in the list of waiters before they send: an opening may be known here before the reply is. A store
   * that does not notify per object knows the client by its waits.
   */
  watch(address: Address): void {
    this.#deps.session.watch?.(address)
  }

  unwatch(address: Address): void {
    this.#deps.session.unwatch?.(address)
  }
}
