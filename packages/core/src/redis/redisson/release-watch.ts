import type { SubscriberHub } from '@holdfast/pubsub'
import { faultOf } from '../errors.js'
import { freeMessage, releaseChannelOf } from './names.js'

/** Where channels are heard. */
export type Channels = Pick<SubscriberHub, 'subscribe' | 'unsubscribe' | 'isSubscribed'>

/** Those of this client who wait for locks. */
export interface Waiters {
  /** Has the earliest waiter for the lock ask again. Answers whether there is one. */
  wakeFirst(lock: string): boolean
  /** The same for all waiters for the lock. */
  wakeAll(lock: string): boolean
}

export interface ReleaseWatchOptions {
  /** For how long a channel stays subscribed when nobody waits, in milliseconds. */
  readonly keepMs: number
  readonly waiters: Waiters
}

/** A lock whose releases are heard of. */
export interface Watched {
  readonly lock: string
  /** Resolves once releases are heard of, and after outages too; rejects when Redis refuses the channel. */
  readonly confirmed: Promise<void>
  /** How many wait for the lock, or have asked for it and will if they must. */
  interest: number
  /** A release was heard of while nobody waited yet: the answer that has one of them wait may be older than it. */
  isUnclaimed: boolean
  endTimer: NodeJS.Timeout | undefined
}

/**
 * Hears when somebody of Redisson's frees a lock that is waited for here, and has the earliest waiter ask again.
 *
 * A lock's channel is subscribed when the first waiter comes, and for a while after the last one has left: a lock that is
 * waited for once mostly is so again, and each new subscription costs its first waiter another ask.
 */
export class ReleaseWatch {
  readonly #channels: Channels
  readonly #options: ReleaseWatchOptions
  readonly #watched = new Map<string, Watched>()

  constructor(channels: Channels, options: ReleaseWatchOptions) {
    this.#channels = channels
    this.#options = options
  }

  /** Whether the release of this lock would be heard of now, as far as we know. */
  isHeard(lock: string): boolean {
    return this.#channels.isSubscribed(releaseChannelOf(lock))
  }

  /** For one who waits for the lock, or may have to; each call needs one of `unwatch`. */
  watch(lock: string): Watched {
    const watched = this.#watched.get(lock) ?? this.#subscribe(lock)
    clearTimeout(watched.endTimer)
    watched.interest++
    return watched
  }

  /** The last one ends the subscription some time later. */
  unwatch(watched: Watched): void {
    const { lock } = watched
    if (--watched.interest > 0 || this.#watched.get(lock) !== watched) return
    watched.isUnclaimed = false
    watched.endTimer = setTimeout(() => {
      this.#watched.delete(lock)
      void this.#channels.unsubscribe(releaseChannelOf(lock))
    }, this.#options.keepMs)
    // Silence is no reason to live.
    watched.endTimer.unref()
  }

  /** For one who begins to wait: whether it has to ask once more, because a release was heard of that woke nobody. */
  claimRelease(watched: Watched): boolean {
    const { isUnclaimed } = watched
    watched.isUnclaimed = false
    return isUnclaimed
  }

  /** Messages on this channel may have been missed. */
  wakeFor(channel: string): void {
    for (const watched of this.#watched.values()) {
      if (releaseChannelOf(watched.lock) !== channel) continue
      if (!this.#options.waiters.wakeAll(watched.lock)) this.#keepUnclaimed(watched)
    }
  }

  /** Whose channels these are ends the subscriptions. */
  close(): void {
    for (const { endTimer } of this.#watched.values()) clearTimeout(endTimer)
    this.#watched.clear()
  }

  #subscribe(lock: string): Watched {
    const subscribed = this.#channels.subscribe(releaseChannelOf(lock), (message) => {
      if (message === freeMessage && !this.#options.waiters.wakeFirst(lock)) this.#keepUnclaimed(watched)
    })
    const confirmed = subscribed.catch((error: unknown) => {
      if (this.#watched.get(lock) === watched) this.#watched.delete(lock)
      throw faultOf(error)
    })
    // Those who wait for it hear of it.
    confirmed.catch(() => undefined)
    const watched: Watched = { lock, confirmed, interest: 0, isUnclaimed: false, endTimer: undefined }
    this.#watched.set(lock, watched)
    return watched
  }

  #keepUnclaimed(watched: Watched): void {
    watched.isUnclaimed = watched.interest > 0
  }
}
