import { hash, randomBytes } from 'node:crypto'
import type { Address } from '../engine/requests.js'
import type { GrantNotice } from '../engine/session.js'
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

/** How far ahead of the store's clock a fencing token may be, microseconds: a day. */
const tokenLeadUs = 86_400_000_000

/** Whether the numbers of a notice may be a store's. */
export const isPlausible = ({ token, leaseMs, serverUs }: GrantNotice): boolean =>
  Number.isSafeInteger(token) &&
  Number.isSafeInteger(leaseMs) &&
  (serverUs === undefined || (Number.isSafeInteger(serverUs) && token <= serverUs + tokenLeadUs))

/** 96 bits: whoever guesses has as many tries as there are messages. */
const proofLength = 16

/**
 * What the notification of a grant has to repeat. Each owner's is derived from a secret of this client and store, so it costs no
 * memory per waiter, and that of an owner whose wait is over can still be checked.
 */
export class Proofs {
  readonly #secret = randomBytes(24).toString('base64url')

  /** The proof of one owner; others than the store and this client learn it with the grant at the earliest. */
  of(owner: string): string {
    // Truncated, so that it cannot be extended to that of a longer text.
    return hash('sha256', `${this.#secret} ${owner}`, 'base64url').slice(0, proofLength)
  }
}

/** Each may look once in this time, however many messages ask for it. */
const lookEveryMs = 1_000

/** How many more looks a client has per second, and at once, for all that it waits for or holds. */
const moreLooksPerSecond = 200

/**
 * Bounds how often messages that prove nothing make this client ask the store. Anyone may publish, so at worst each waiter and
 * each hold asks once a second, and all together `moreLooksPerSecond` times more. A look beyond that is postponed, not dropped.
 *
 * A look that finds that something has happened does not count: beside Redisson's clients a lock may change hands a thousand times a
 * second, and a waiter whose turn is announced and postponed loses it.
 */
export class Looks {
  readonly #lookedAt = new WeakMap<object, number>()
  readonly #tookMore = new WeakSet()
  readonly #postponed = new Map<object, NodeJS.Timeout>()
  #more = moreLooksPerSecond
  #refilledAt = monotonicMs()

  /** Runs `look` now, or as soon as the subject may look again. One that is postponed stands for all that follow it. */
  request(subject: object, look: () => void): void {
    if (this.#postponed.has(subject)) return
    const lookedAt = this.#lookedAt.get(subject) ?? -Infinity
    const inMs = Math.ceil(lookedAt + lookEveryMs - monotonicMs())
    if (inMs <= 0) {
      this.#look(subject, look)
      return
    }
    if (this.take()) {
      this.#tookMore.add(subject)
      this.#look(subject, look)
      return
    }
    const timer = setTimeout(() => {
      this.#postponed.delete(subject)
      this.#look(subject, look)
    }, inMs)
    timer.unref()
    this.#postponed.set(subject, timer)
  }

  /** Whether one more look may be sent that is no subject's own. */
  take(): boolean {
    const now = monotonicMs()
    const refilled = ((now - this.#refilledAt) / 1_000) * moreLooksPerSecond
    this.#more = Math.min(moreLooksPerSecond, this.#more + refilled)
    this.#refilledAt = now
    if (this.#more < 1) return false
    this.#more--
    return true
  }

  /** The subject found that something had happened: its latest look does not count. */
  foundChange(subject: object): void {
    this.#lookedAt.delete(subject)
    if (this.#tookMore.delete(subject)) this.#more = Math.min(moreLooksPerSecond, this.#more + 1)
  }

  close(): void {
    for (const timer of this.#postponed.values()) clearTimeout(timer)
    this.#postponed.clear()
  }

  #look(subject: object, look: () => void): void {
    this.#lookedAt.set(subject, monotonicMs())
    look()
  }
}
