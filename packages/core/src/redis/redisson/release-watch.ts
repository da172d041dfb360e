import type { SubscriberHub } from '@holdfast/pubsub'
import { toRedisError } from '../errors.js'
import type { Keys } from '../keys.js'
import { channelOf } from './releases.js'

/** Where channels are subscribed. */
export type Channels = Pick<SubscriberHub, 'subscribe' | 'unsubscribe' | 'isSubscribed'>

export interface ReleaseWatchOptions {
  readonly channels: Channels
  /** For how long a channel stays subscribed when no waiter is left. */
  readonly keepMs: number
  /** A message arrived on the channel of this object. */
  onMessage(keys: Keys, message: string): void
}

interface Watched {
  readonly keys: Keys
  waiters: number
  /** `undefined` when Redis refused the subscription: the next waiter tries again. */
  confirmed: Promise<void> | undefined
  endTimer: NodeJS.Timeout | undefined
}

/**
 * Receives Redisson's release messages of objects that are waited for here.
 *
 * An object's channel is subscribed when the first waiter comes, and for a while after the last one has left: what is waited
 * for once usually is again, and each new subscription costs its first waiter another request.
 */
export class ReleaseWatch {
  readonly #options: ReleaseWatchOptions
  readonly #watched = new Map<string, Watched>()

  constructor(options: ReleaseWatchOptions) {
    this.#options = options
  }

  /** Whether release messages of this object arrive now, as far as is known. */
  isSubscribed(keys: Keys): boolean {
    return this.#options.channels.isSubscribed(channelOf(keys))
  }

  /** Resolves once they do, for an object that is watched; keeps trying during outages, rejects when Redis refuses. */
  async whenSubscribed({ id }: Keys): Promise<void> {
    await this.#watched.get(id)?.confirmed
  }

  /** A waiter has come. */
  enter(keys: Keys): void {
    const { id } = keys
    const watched = this.#watched.get(id) ?? { keys, waiters: 0, confirmed: undefined, endTimer: undefined }
    this.#watched.set(id, watched)
    clearTimeout(watched.endTimer)
    watched.waiters++
    watched.confirmed ??= this.#subscribe(watched)
  }

  /** A waiter has left; the subscription ends some time after the last one. */
  leave({ id }: Keys): void {
    const watched = this.#watched.get(id)
    if (watched && --watched.waiters === 0) this.#endLater(watched)
  }

  /** The ids of those whose releases are announced on this channel. */
  idsOf(channel: string): string[] {
    return this.#sharing(channel).map(({ keys: { id } }) => id)
  }

  /** The owner of the channels ends the subscriptions. */
  close(): void {
    for (const { endTimer } of this.#watched.values()) clearTimeout(endTimer)
    this.#watched.clear()
  }

  /** `t` and `{t}` are two objects with one channel. */
  #sharing(channel: string): Watched[] {
    return [...this.#watched.values()].filter(({ keys }) => channelOf(keys) === channel)
  }

  #endLater(watched: Watched): void {
    watched.endTimer = setTimeout(() => {
      const channel = channelOf(watched.keys)
      const sharing = this.#sharing(channel)
      if (sharing.some(({ waiters }) => waiters > 0)) {
        this.#endLater(watched)
        return
      }
      for (const { keys, endTimer } of sharing) {
        clearTimeout(endTimer)
        this.#watched.delete(keys.id)
      }
      void this.#options.channels.unsubscribe(channel)
    }, this.#options.keepMs)
    // This timer must not keep the process alive.
    watched.endTimer.unref()
  }

  #subscribe(watched: Watched): Promise<void> {
    const { keys } = watched
    const subscribed = this.#options.channels.subscribe(channelOf(keys), (message) =>
      this.#options.onMessage(keys, message),
    )
    const confirmed = subscribed.catch((error: unknown) => {
      watched.confirmed = undefined
      throw toRedisError(error)
    })
    // Those that wait for it receive the error.
    confirmed.catch(() => undefined)
    return confirmed
  }
}
