import { startRedis, until, type RedisServer } from '@holdfast/testkit'
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

/** How many connections of the server are subscribed to anything. */
export async function countSubscribers(server: RedisServer): Promise<number> {
  const list = String(await server.call('CLIENT', 'LIST', 'TYPE', 'PUBSUB'))
  return list.split('\n').filter((line) => line.startsWith('id=')).length
}

export async function expectDelivery(
  server: RedisServer,
  hub: RecordedHub,
  channel: string,
  message: string,
) {
  await server.call('PUBLISH', channel, message)
  await until(() => hub.messages.includes(`${channel}: ${message}`), { what: `${message} on ${channel}` })
}

export function reasonOf(outcome: PromiseSettledResult<void>): string {
  return outcome.status === 'rejected' && outcome.reason instanceof Error
    ? outcome.reason.message
    : outcome.status
}

/** A server for all tests of a file, after each of which nobody is subscribed, and nothing was printed. */
export function useServer(): { readonly server: RedisServer } {
  const printed: unknown[] = []
  let started: RedisServer | undefined

  const running = {
    get server(): RedisServer {
      if (!started) throw new Error('the server starts before the first test, and not earlier')
      return started
    },
  }

  beforeAll(async () => {
    started = await startRedis()
  })

  afterAll(() => started?.stop())

  beforeEach(async () => {
    printed.length = 0
    for (const level of ['error', 'warn'] as const) {
      jest.spyOn(console, level).mockImplementation((...words) => printed.push(words))
    }
    await running.server.call('CONFIG', 'RESETSTAT')
  })

  afterEach(async () => {
    jest.restoreAllMocks()
    expect(printed).toEqual([])
    const isQuiet = async (): Promise<boolean> => (await countSubscribers(running.server)) === 0
    await until(isQuiet, { what: 'all subscribers to leave' })
  })

  return running
}
