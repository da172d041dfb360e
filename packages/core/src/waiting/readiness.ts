import type { Address } from '../engine/requests.js'
import { UnavailableError, type HoldfastError } from '../errors/errors.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../time/time.js'
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

/** A store that owes a reply for less than this may only be busy, milliseconds. */
const fairMs = 100

/** So many times as long as it has taken of late, when it did reply. */
const fairTimes = 2

/** A single request that waits so many times as long is proof, although others get replies: a cluster has several servers. */
const fairAlone = 10

/** At the least: connecting, and a first command. */
const requestsOfChecks = 2

/** How long its slowest reply counts, milliseconds. */
const recentMs = 10_000

/** Why a store has not replied yet, if its connection shows it. */
interface Doubtful {
  readonly doubt?: HoldfastError | undefined
}

/**
 * For how long a store has owed its client a reply, and the latest of the errors that it reports as they come: for a wait that ends
 * without a reply, and has to say whether that is an outage. A reply that a call did not wait for is none.
 */
export class StoreSilence {
  readonly #store: Doubtful
  #error: HoldfastError | undefined
  #errorAt = -Infinity
  /** When the first request was sent since the last reply; `Infinity` if none was. */
  #since = Infinity
  #repliedAt = -Infinity
  /** How many requests, one after another, the next reply is to. */
  #requests = 1
  /** The longest that a reply has taken of late. Not the shortest: engines answer some requests without asking the store. */
  #slowestMs = 0
  #slowestAt = -Infinity

  constructor(store: Doubtful) {
    this.#store = store
  }

  note(error: HoldfastError): void {
    this.#error = error
    this.#errorAt = monotonicMs()
  }

  /** A request goes out now. Returns the instant, for `replied`. */
  sent(): number {
    const now = monotonicMs()
    this.#since = Math.min(this.#since, now)
    return now
  }

  /** The first checks are about to begin. They take several requests, one after another. */
  preparing(): void {
    this.#since = monotonicMs()
    this.#requests = requestsOfChecks
  }

  /** @param sentAt - when the request was sent, if it was a single one */
  replied(sentAt = Infinity): void {
    const now = monotonicMs()
    const askedAt = Math.min(sentAt, this.#since)
    if (Number.isFinite(askedAt)) this.#took((now - askedAt) / this.#requests, now)
    this.#requests = 1
    this.#repliedAt = now
    this.#since = Infinity
  }

  /** What was noted at that instant or after it, or after the last reply, or what may keep the store from replying now. */
  errorSince(at: number): HoldfastError | undefined {
    const isNew = this.#errorAt >= Math.min(at, this.#repliedAt)
    return (isNew ? this.#error : undefined) ?? this.#store.doubt
  }

  /** Whether a request that was sent at that instant, and got no reply by now, shows that the store is out of reach. */
  isOutage(sentAt: number): boolean {
    if (this.errorSince(sentAt)) return true
    const now = monotonicMs()
    const enoughMs = Math.max(fairMs, fairTimes * this.#slowestMs)
    const since = Math.min(this.#since, Math.max(sentAt, this.#repliedAt))
    return now - since >= enoughMs || now - sentAt >= fairAlone * enoughMs
  }

  #took(ms: number, now: number): void {
    if (ms < this.#slowestMs && now - this.#slowestAt < recentMs) return
    this.#slowestMs = ms
    this.#slowestAt = now
  }
}
