import type { SubscriberHub } from '@holdfast/pubsub'
import type { LockKeys } from '../keys.js'
import { faultOf } from '../errors.js'
import { freeMessage, releaseChannelOf } from './names.js'

/** Where channels are heard. */
export type Channels = Pick<SubscriberHub, 'subscribe' | 'unsubscribe' | 'isSubscribed'>

/** Who waits for a lock, or is about to. */
export interface Waiter {
  readonly keys: LockKeys
  /** The lock may be free: ask again. */
  wake(): void
}

interface Watched {
  /** The earliest first. */
  readonly waiters: Set<Waiter>
  readonly confirmed: Promise<void>
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
  readonly #keepMs: number
  readonly #watched = new Map<string, Watched>()

  constructor(channels: Channels, keepMs: number) {
    this.#channels = channels
    this.#keepMs = keepMs
  }

  /** Whether the release of this lock would be heard of now, as far as we know. */
  isHeard(lock: string): boolean {
    return this.#channels.isSubscribed(releaseChannelOf(lock))
  }

  /** Resolves once releases are heard of, and after outages too; rejects when Redis refuses the channel. */
  enter(waiter: Waiter): Promise<void> {
    const { lock } = waiter.keys
    const watched = this.#watched.get(lock) ?? this.#watch(lock)
    clearTimeout(watched.endTimer)
    watched.waiters.add(waiter)
    return watched.confirmed
  }

  /** The last one's leaving ends the subscription some time later. */
  leave(waiter: Waiter): void {
    const { lock } = waiter.keys
    const watched = this.#watched.get(lock)
    if (!watched?.waiters.delete(waiter) || watched.waiters.size > 0) return
    watched.endTimer = setTimeout(() => {
      this.#watched.delete(lock)
      void this.#channels.unsubscribe(releaseChannelOf(lock))
    }, this.#keepMs)
    // Silence is no reason to live.
    watched.endTimer.unref()
  }

  /** Messages on this channel may have been missed. */
  wakeFor(channel: string): void {
    for (const [lock, { waiters }] of this.#watched) {
      if (releaseChannelOf(lock) !== channel) continue
      for (const waiter of waiters) waiter.wake()
    }
  }

  /** Whose channels these are ends the subscriptions. */
  close(): void {
    for (const { endTimer } of this.#watched.values()) clearTimeout(endTimer)
    this.#watched.clear()
  }

  #watch(lock: string): Watched {
    const waiters = new Set<Waiter>()
    const subscribed = this.#channels.subscribe(releaseChannelOf(lock), (message) => {
      const [earliest] = waiters
      if (message === freeMessage) earliest?.wake()
    })
    const confirmed = subscribed.catch((error: unknown) => {
      if (this.#watched.get(lock) === watched) this.#watched.delete(lock)
      throw faultOf(error)
    })
    // Those who wait for it hear of it.
    confirmed.catch(() => undefined)
    const watched: Watched = { waiters, confirmed, endTimer: undefined }
    this.#watched.set(lock, watched)
    return watched
  }
}
