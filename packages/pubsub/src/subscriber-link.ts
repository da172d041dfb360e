import { answerWithin } from './answer-within.js'
import type { SubscriberConnection } from './connection.js'
import { isPermissionError, isReplyError, toError } from './errors.js'

/** What a {@link SubscriberLink} reports. */
interface LinkEvents {
  onMessage(channel: string, message: string): void
  /** The socket closed, after {@link SubscriberLink.destroy} too. */
  onClose(cause: Error): void
}

/** One connection from its making to its end; it is never used again after a failure. */
export class SubscriberLink {
  /** Resolves when the connection has ended and its socket is gone. */
  readonly ended: Promise<void>
  /** Whether commands may be sent. */
  isReady = false

  /** The most telling error so far: a refusal, else the latest. */
  private cause: Error | undefined

  constructor(
    private readonly connection: SubscriberConnection,
    events: LinkEvents,
    /** How long Redis has to reply to one step. */
    private readonly replyTimeoutMs: number,
  ) {
    this.ended = new Promise((resolve) => connection.on('end', resolve))
    // Also keeps ioredis from printing errors without a listener.
    connection.on('error', (error) => {
      if (!isPermissionError(this.cause)) this.cause = error
    })
    connection.on('message', (channel, message) => events.onMessage(channel, message))
    connection.on('close', () => events.onClose(this.cause ?? new Error('Connection closed')))
  }

  /** Connects. Rejects with the actual reason: connect() itself only says that the connection was closed. */
  async connect(): Promise<void> {
    try {
      await answerWithin(this.connection.connect(), this.replyTimeoutMs, 'connect')
      this.isReady = true
      // What went wrong on the way up does not explain a later loss.
      this.cause = undefined
    } catch (error) {
      throw this.cause ?? toError(error)
    }
  }

  /** Resolves when Redis confirmed it. */
  async subscribe(channel: string): Promise<void> {
    await answerWithin(this.connection.subscribe(channel), this.replyTimeoutMs, 'SUBSCRIBE')
  }

  /** Resolves when Redis confirmed it. */
  async unsubscribe(channel: string): Promise<void> {
    await answerWithin(this.connection.unsubscribe(channel), this.replyTimeoutMs, 'UNSUBSCRIBE')
  }

  /** Rejects if no reply comes in time. A refusal is a reply too: a ping only checks that something responds. */
  async ping(limitMs: number): Promise<void> {
    try {
      await answerWithin(this.connection.ping(), limitMs, 'PING')
    } catch (error) {
      if (!isReplyError(error)) throw error
    }
  }

  /** Ends the connection and its messages, without waiting for the other side, which may be unresponsive. */
  destroy(): void {
    this.isReady = false
    // Disconnected after its end, ioredis would keep the process alive with a timer that waits for the end:
    // https://github.com/redis/ioredis/issues/1247
    if (this.connection.status === 'end') return
    this.connection.disconnect()
    this.connection.stream?.destroy()
  }
}
