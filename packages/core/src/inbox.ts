import { SubscriberHub } from '@holdfast/pubsub'
import type { SubscriberConnection } from '@holdfast/pubsub'
import { faultOf } from './redis/faults.js'

export interface InboxOptions {
  readonly channel: string
  readonly pingEveryMs: number
  connect(): SubscriberConnection
  onMessage(message: string): void
  /** Notices may have been missed; the inbox is heard again. */
  onGap(): void
  /** Notices do not come in now. */
  onDown(cause: Error): void
  onError(error: unknown): void
}

/** The one channel on which this client hears of grants and evictions, for all its locks, for all its life. */
export class Inbox {
  readonly channel: string
  readonly #hub: SubscriberHub
  readonly #options: InboxOptions
  #listening: Promise<void> | undefined

  constructor(options: InboxOptions) {
    this.channel = options.channel
    this.#options = options
    this.#hub = new SubscriberHub({
      connect: () => options.connect(),
      pingEveryMs: options.pingEveryMs,
      onGap: () => {
        options.onGap()
      },
      onDown: (cause) => {
        options.onDown(cause)
      },
      onError: (error) => {
        options.onError(error)
      },
    })
  }

  /** Whether Redis would deliver a notice now, as far as we know. */
  get isHeard(): boolean {
    return this.#hub.isSubscribed(this.channel)
  }

  /** Resolves once the inbox is heard; waits over outages. Rejects when Redis refuses it; a later call tries again. */
  async listen(): Promise<void> {
    this.#listening ??= this.#subscribe()
    await this.#listening
    if (!this.isHeard) await this.#hub.whenSubscribed(this.channel)
  }

  close(): Promise<void> {
    return this.#hub.close()
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#hub.subscribe(this.channel, (message) => {
        this.#options.onMessage(message)
      })
    } catch (error) {
      this.#listening = undefined
      throw faultOf(error)
    }
  }
}
