import type { ConnectionChannel } from '../channels/channels.js'
import type { Address } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import type { Closing } from '../ownership/closing.js'
import { UnavailableError } from '../errors/errors.js'
import { monotonicMs } from '../util/clock.js'
import { withTimeout } from '../util/timeouts.js'
import type { Housekeeping } from './housekeeping.js'

/** At first use, subscribing may take this long before a request goes out that cannot queue yet. */
const subscribeGraceMs = 200

/** Runs checks before commands are sent. */
export interface Ready {
  /** `undefined` once they have passed. */
  ready(address: Address): Promise<void> | undefined
}

export interface ReadinessDeps {
  readonly session: EngineSession
  readonly closing: Closing
  readonly channel: ConnectionChannel | undefined
  readonly observer: {
    /** The store is asked. */
    asked(): void
    /** The store replies. */
    reached(): void
  }
  readonly housekeeping: Housekeeping
}

/** The checks before a client's first command; a failed one is repeated by the next caller. */
export class Readiness implements Ready {
  readonly #deps: ReadinessDeps
  #isReady = false
  #preparing: { readonly done: Promise<void>; readonly since: number } | undefined

  constructor(deps: ReadinessDeps) {
    this.#deps = deps
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
    const { session, closing, channel, observer, housekeeping } = this.#deps
    observer.asked()
    await session.prepare(address)
    closing.assertOpen()
    channel?.publish('connected')
    observer.reached()
    housekeeping.begin()
    const subscribing = session.inbox.subscribe(address).then(
      () => channel?.publish('subscribed'),
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
