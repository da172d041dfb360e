import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { withTimeout } from '../util/with-timeout.js'

/** At first use, subscribing may take this long before a request goes out that cannot queue yet. */
const subscribeGraceMs = 200

export interface ReadinessDeps {
  readonly session: Pick<EngineSession, 'prepare' | 'subscribe'>
  /** Throws once the client closes. */
  assertOpen(): void
  /** The checks have passed. */
  onReady(): void
  /** Notifications arrive. */
  onSubscribed(): void
}

/** The checks before a client's first command; a failed one is repeated by the next caller. */
export class Readiness {
  readonly #deps: ReadinessDeps
  #isReady = false
  #preparing: Promise<void> | undefined

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
  }

  /** `undefined` once the checks have passed. */
  ready(address: Address): Promise<void> | undefined {
    if (this.#isReady) return undefined
    this.#preparing ??= this.#prepare(address).finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  async #prepare(address: Address): Promise<void> {
    const { session } = this.#deps
    await session.prepare(address)
    this.#deps.assertOpen()
    this.#deps.onReady()
    const subscribing = session.subscribe(address).then(
      () => {
        this.#deps.onSubscribed()
      },
      () => undefined,
    )
    await withTimeout(subscribing, subscribeGraceMs)
    this.#isReady = true
  }
}
