import type { SubscriberHub } from '@holdfast/pubsub'
import { toRedisError } from '../errors.js'
import { freeMessage, releaseChannelOf } from './names.js'

/** Where channels are subscribed. */
export type Channels = Pick<SubscriberHub, 'subscribe' | 'unsubscribe' | 'isSubscribed'>

export interface ReleaseWatchOptions {
  readonly channels: Channels
  /** For how long a channel stays subscribed when no waiter is left. */
  readonly keepMs: number
  /** A Redisson client has freed this lock. */
  onFree(lock: string): void
}

interface Watched {
  waiters: number
  /** `undefined` when Redis refused the subscription: the next waiter tries again. */
  confirmed: Promise<void> | undefined
  endTimer: NodeJS.Timeout | undefined
}

/**
 * Receives Redisson's release messages of locks that are waited for here.
 *
 * A lock's channel is subscribed when the first waiter comes, and for a while after the last one has left: a lock that is
 * waited for once usually is again, and each new subscription costs its first waiter another request.
 */
export class ReleaseWatch {
  readonly #options: ReleaseWatchOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: ReleaseWatchOptions) {
    this.#options = options
  }

  /** Whether release messages of this lock arrive now, as far as is known. */
  isSubscribed(lock: string): boolean {
    return this.#options.channels.isSubscribed(releaseChannelOf(lock))
  }

  /** Resolves once they do, for a lock that is watched; keeps trying during outages, rejects when Redis refuses. */
  async whenSubscribed(lock: string): Promise<void> {
    await this.#watched.get(lock)?.confirmed
  }

  /** A waiter has come. */
  enter(lock: string): void {
    const watched = this.#watched.get(lock) ?? { waiters: 0, confirmed: undefined, endTimer: undefined }
    this.#watched.set(lock, watched)
    clearTimeout(watched.endTimer)
    watched.waiters++
    watched.confirmed ??= this.#subscribe(lock, watched)
  }

  /** A waiter has left; the subscription ends some time after the last one. */
  leave(lock: string): void {
    const watched = this.#watched.get(lock)
    if (!watched || --watched.waiters > 0) return
    watched.endTimer = setTimeout(() => {
      this.#watched.delete(lock)
      void this.#options.channels.unsubscribe(releaseChannelOf(lock))
    }, this.#options.keepMs)
    // This timer must not keep the process alive.
    watched.endTimer.unref()
  }

  /** The locks whose releases are announced on this channel. */
  locksOf(channel: string): string[] {
    return [...this.#watched.keys()].filter((lock) => releaseChannelOf(lock) === channel)
  }

  /** The owner of the channels ends the subscriptions. */
  close(): void {
    for (const { endTimer } of this.#watched.values()) clearTimeout(endTimer)
    this.#watched.clear()
  }

  #subscribe(lock: string, watched: Watched): Promise<void> {
    const subscribed = this.#options.channels.subscribe(releaseChannelOf(lock), (message) => {
      if (message === freeMessage) this.#options.onFree(lock)
    })
    const confirmed = subscribed.catch((error: unknown) => {
      watched.confirmed = undefined
      throw toRedisError(error)
    })
    // Those that wait for it receive the error.
    confirmed.catch(() => undefined)
    return confirmed
  }
}
