import type { SubscriberConnection } from '@holdfast/pubsub'
import type { RedisConnection } from '../connection/types.js'

type Listening =
  | [event: 'message', listener: (channel: string, message: string) => void]
  | [event: 'error', listener: (error: Error) => void]
  | [event: 'close' | 'end', listener: () => void]

/** A connection to one node of a cluster, on which a hub subscribes to sharded channels as if they were plain ones. */
export class ShardedConnection implements SubscriberConnection {
  readonly #connection: RedisConnection

  constructor(connection: RedisConnection) {
    this.#connection = connection
    // A slot has left the node, and its channels with it. After a reconnect it turns out which still belong here.
    connection.on('moved', () => connection.disconnect())
  }

  get status(): string {
    return this.#connection.status
  }

  get stream(): { destroy(): unknown } {
    const connection = this.#connection
    return { destroy: () => connection.stream?.destroy() }
  }

  connect(): Promise<void> {
    return this.#connection.connect()
  }

  subscribe(channel: string): Promise<unknown> {
    return this.#connection.ssubscribe(channel)
  }

  unsubscribe(channel: string): Promise<unknown> {
    return this.#connection.sunsubscribe(channel)
  }

  ping(): Promise<unknown> {
    return this.#connection.ping()
  }

  disconnect(): void {
    this.#connection.disconnect()
  }

  on(...[event, listener]: Listening): unknown {
    const connection = this.#connection
    switch (event) {
      case 'message':
        return connection.on('smessage', listener)
      case 'error':
        return connection.on(event, listener)
      default:
        return connection.on(event, listener)
    }
  }
}
