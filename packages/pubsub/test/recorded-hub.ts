import { Redis as Redis6 } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'

import { SubscriberHub, type SubscriberConnection, type SubscriberHubOptions } from '../src/index.js'

interface ConnectionOptions {
  readonly username?: string
  readonly password?: string
  readonly db?: number
}

/** Makes connections as the hub wants them. */
export type MakeConnection = (url: string, given?: ConnectionOptions) => SubscriberConnection

const options = { lazyConnect: true, retryStrategy: () => null }

export const clients: [name: string, make: MakeConnection][] = [
  ['ioredis 6', (url, given) => new Redis6(url, { ...options, ...given })],
  ['ioredis 6 with RESP2', (url, given) => new Redis6(url, { ...options, ...given, protocol: 2 })],
  ['ioredis 5', (url, given) => new Redis5(url, { ...options, ...given })],
]

/** A hub that writes down what it is told, and ends with its block. */
export class RecordedHub extends SubscriberHub implements AsyncDisposable {
  readonly messages: string[]
  readonly downs: string[]
  readonly errors: string[]
  /** For each gap notice, the channels of `watched` that were subscribed at that moment. */
  readonly gaps: string[][]

  constructor(given: Partial<SubscriberHubOptions> & Pick<SubscriberHubOptions, 'connect'>) {
    const messages: string[] = []
    const downs: string[] = []
    const errors: string[] = []
    const gaps: string[][] = []
    super({
      pingEveryMs: 60_000,
      onDown: (cause) => downs.push(cause.message),
      onError: (error) => errors.push(error.message),
      onGap: () => gaps.push(['left', 'right'].filter((channel) => this.isSubscribed(channel))),
      ...given,
    })
    this.messages = messages
    this.downs = downs
    this.errors = errors
    this.gaps = gaps
  }

  /** Subscribes with a listener that writes down channel and message. */
  record(channel: string): Promise<void> {
    return this.subscribe(channel, (message) => this.messages.push(`${channel}: ${message}`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
