import type { SubscriberHub } from '@holdfast/pubsub'
import { faultOf } from './errors.js'

export interface InboxOptions {
  readonly channel: string
  readonly hub: SubscriberHub
  onMessage(message: string): void
}

/** The one channel on which this client hears of grants and evictions, for all its locks, for all its life. */
export class Inbox {
  readonly channel: string
  readonly #options: InboxOptions
  #listening: Promise<void> | undefined

  constructor(options: InboxOptions) {
    this.channel = options.channel
    this.#options = options
  }

  /** Whether Redis would deliver a notice now, as far as we know. */
  get isHeard(): boolean {
    return this.#options.hub.isSubscribed(this.channel)
  }

  /** Resolves once the inbox is heard; waits over outages. Rejects when Redis refuses it; a later call tries again. */
  async listen(): Promise<void> {
    this.#listening ??= this.#subscribe()
    await this.#listening
    if (!this.isHeard) await this.#options.hub.whenSubscribed(this.channel)
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#options.hub.subscribe(this.channel, (message) => {
        this.#options.onMessage(message)
      })
    } catch (error) {
      this.#listening = undefined
      throw faultOf(error)
    }
  }
}
