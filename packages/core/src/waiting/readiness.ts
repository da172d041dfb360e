import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { UnavailableError } from '../errors/errors.js'
import { monotonicMs } from '../util/clock.js'
import { withTimeout } from '../util/with-timeout.js'

/** At first use, subscribing may take this long before a request goes out that cannot queue yet. */
const subscribeGraceMs = 200

export interface ReadinessDeps {
  readonly session: EngineSession
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
  #preparing: { readonly done: Promise<void>; readonly since: number } | undefined

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
  }

  /** `undefined` once the checks have passed. */
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
    const { session } = this.#deps
    await session.prepare(address)
    this.#deps.assertOpen()
    this.#deps.onReady()
    const subscribing = session.inbox.subscribe(address).then(
      () => {
        this.#deps.onSubscribed()
      },
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
