import type { SubscriberHub } from '@holdfast/pubsub'
import type { Inbox } from '../engine/inbox.js'
import { toRedisError } from './errors.js'

export interface RedisInboxOptions {
  readonly channel: string
  readonly hub: SubscriberHub
  onMessage(message: string): void
}

/** The one channel on which this client is notified of grants and evictions, for all its locks and all its life. */
export class RedisInbox implements Inbox {
  readonly channel: string
  readonly #options: RedisInboxOptions
  #listening: Promise<void> | undefined

  constructor(options: RedisInboxOptions) {
    this.channel = options.channel
    this.#options = options
  }

  /** Whether Redis would deliver a notification now, as far as is known. */
  isSubscribed(): boolean {
    return this.#options.hub.isSubscribed(this.channel)
  }

  /** Resolves once the inbox is subscribed; keeps trying during outages. Rejects when Redis refuses it; a later call tries again. */
  async subscribe(): Promise<void> {
    this.#listening ??= this.#subscribe()
    await this.#listening
    if (this.isSubscribed()) return
    try {
      await this.#options.hub.whenSubscribed(this.channel)
    } catch (error) {
      throw toRedisError(error)
    }
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#options.hub.subscribe(this.channel, (message) => this.#options.onMessage(message))
    } catch (error) {
      this.#listening = undefined
      throw toRedisError(error)
    }
  }
}
