import type { EngineHost } from '@holdfast/core/engine'
import { claimedMs } from './facts.js'
import type { Places } from './places.js'
import type { QueueStore } from './store.js'

/** A proof that is older than this part of what it is good for is repeated. Later than the client's own renewals, which prove it, too. */
const oldest = 0.45
const looksPerProof = 12

/** Whether the session was proven a short time ago, as such times go, so that it need not be now. */
export const isFresh = (host: EngineHost, store: QueueStore): boolean =>
  host.now() - store.provenAt <= claimedMs(store) * oldest

/**
 * Proves the session while something is held or waited for, where the client's renewals are too rare for that: with a session that is
 * shorter than `watchdogTimeoutMs`.
 */
export class Heartbeat {
  readonly #host: EngineHost
  readonly #store: QueueStore
  readonly #places: Places
  #timer: NodeJS.Timeout | undefined
  #isUnderWay = false

  constructor(host: EngineHost, store: QueueStore, places: Places) {
    this.#host = host
    this.#store = store
    this.#places = places
  }

  start(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#look()
        this.start()
      },
      claimedMs(this.#store) / looksPerProof,
    )
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    if (isFresh(this.#host, this.#store) || !this.#store.isUp) return
    if (this.#isUnderWay || this.#places.isEmpty) return
    this.#isUnderWay = true
    // Without a reply the session is over for this client at its time, whatever the store thinks.
    this.#store
      .prove([], this.#host.commandTimeoutMs)
      .catch(() => undefined)
      .finally(() => (this.#isUnderWay = false))
  }
}
