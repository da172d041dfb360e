import type { Address } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../util/clock.js'
import { withTimeout } from '../util/timeouts.js'

/** At first use, subscribing may take this long before a request goes out that cannot queue yet. */
const subscribeGraceMs = 200

/** Runs checks before commands are sent. */
export interface Ready {
  /** `undefined` once they have passed. */
  ready(address: Address): Promise<void> | undefined
}

/** The checks before a client's first command; a failed one is repeated by the next caller. */
export class Readiness implements Ready {
  readonly #store: StoreClient
  #isReady = false
  #preparing: { readonly done: Promise<void>; readonly since: number } | undefined

  constructor(store: StoreClient) {
    this.#store = store
  }

  ready(address: Address): Promise<void> | undefined {
    if (this.#isReady) return undefined
    if (this.#preparing) return joined(this.#preparing)
    const done = this.#prepare(address).finally(() => {
      this.#preparing = undefined
    })
    this.#preparing = { done, since: monotonicMs() }
    return done
  }

  async #prepare(address: Address): Promise<void> {
    const { session, closing, connection, housekeeping, silence } = this.#store
    silence.preparing()
    await session.prepare(address)
    closing.assertOpen()
    connection?.publish('connected')
    this.#store.replied()
    housekeeping.begin()
    const subscribing = session.inbox.subscribe(address).then(
      () => connection?.publish('subscribed'),
      () => undefined,
    )
    await withTimeout(subscribing, subscribeGraceMs)
    this.#isReady = true
  }
}

/** Without this the times in an error would seem wrong to a call that waited for less. */
async function joined(preparing: { readonly done: Promise<void>; readonly since: number }): Promise<void> {
  const sinceMs = Math.round(monotonicMs() - preparing.since)
  try {
    await preparing.done
  } catch (error) {
    if (!(error instanceof UnavailableError) || sinceMs < worthSayingMs) throw error
    const { message, cause, engine } = error
    throw new UnavailableError(
      `${message}; the check of the store that all first calls share began ${sinceMs} ms before this call`,
      { cause, engine },
    )
  }
}

const worthSayingMs = 100
