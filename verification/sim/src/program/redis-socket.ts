import { connectionLost } from '@holdfast/core/engine'
import type { ClientReply, SocketEvents } from '../redis/line.js'
import type { Socket } from '../redis/way.js'

/** Opens a connection. */
export type Dial = (events: SocketEvents) => Socket

/** What happens to a connection once it is made. */
export interface RedisSocketEvents {
  onMessage(channel: string, text: string): void
  /** Once. What was in flight is rejected next. */
  onEnd(cause: Error): void
}

/** An error reply. */
class ReplyError extends Error {
  override readonly name = 'ReplyError'
  readonly command: { readonly name: string }

  constructor(message: string, command: string) {
    super(message)
    this.command = { name: command.toLowerCase() }
  }
}

/** A command gets no reply. */
export class ConnectionLostError extends Error {
  readonly [connectionLost] = true

  constructor(cause?: Error) {
    super(cause === undefined ? 'the connection was closed' : `the connection was lost: ${cause.message}`, {
      cause,
    })
  }
}

interface Pending {
  readonly command: string
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
}

/** One connection from its making to its end. Replies come in the order of the requests. */
export class RedisSocket {
  readonly #socket: Socket
  readonly #pending: Pending[] = []
  readonly #opened: Promise<void>
  readonly #events: RedisSocketEvents
  #isOver = false
  #failOpening: (error: Error) => void = () => undefined

  constructor(dial: Dial, events: RedisSocketEvents) {
    this.#events = events
    let opened = (): void => undefined
    this.#opened = new Promise((resolve, reject) => {
      opened = resolve
      this.#failOpening = reject
    })
    this.#socket = dial({
      opened: () => opened(),
      replied: (reply) => this.#settle(reply),
      told: (channel, text) => events.onMessage(channel, text),
      ended: (why) => this.end(new Error(why)),
    })
  }

  /** Resolves when the server has accepted it, and knows its name. */
  async open(name: string, limitMs: number): Promise<void> {
    await this.#within(limitMs, 'connect ETIMEDOUT', this.#opened)
    const introduced = this.send(['CLIENT', 'SETNAME', name])
    await this.#within(
      limitMs,
      `the connection was accepted, and nothing has come back within ${limitMs} ms`,
      introduced,
    )
  }

  send(words: readonly string[]): Promise<unknown> {
    if (this.#isOver) return Promise.reject(new ConnectionLostError())
    return new Promise((resolve, reject) => {
      this.#pending.push({ command: words[0] ?? '', resolve, reject })
      this.#socket.send(words)
    })
  }

  /** It broke. */
  end(cause: Error): void {
    if (this.#isOver) return
    this.#events.onEnd(cause)
    this.destroy(cause)
  }

  /** Ends it from this side. */
  destroy(cause?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#socket.close()
    this.#failOpening(cause ?? new ConnectionLostError())
    for (const { reject } of this.#pending.splice(0)) reject(new ConnectionLostError(cause))
  }

  #settle(reply: ClientReply): void {
    const pending = this.#pending.shift()
    if (!pending) throw new Error('a reply came that nobody asked for')
    if (typeof reply === 'object' && reply !== null && 'error' in reply)
      pending.reject(new ReplyError(reply.error, pending.command))
    else pending.resolve(reply)
  }

  async #within(limitMs: number, why: string, done: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => this.destroy(new Error(why)), limitMs)
    try {
      await done
    } finally {
      clearTimeout(timer)
    }
  }
}
