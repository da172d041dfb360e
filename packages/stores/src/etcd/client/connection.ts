import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2'
import type { ConnectionOptions } from 'node:tls'
import { NoReplyError, NotEtcdError, toError } from './failures.js'
import { frame, Frames } from './frames.js'
import { Outcome } from './outcome.js'
import { Silence } from './silence.js'

/** Where a connection goes, and how. */
export interface Endpoint {
  /** Such as `https://a:2379`. */
  readonly origin: string
  readonly tls: ConnectionOptions | undefined
}

export interface ConnectionLimits {
  /** How long the other side may take until it greets, milliseconds. */
  readonly greetingMs: number
  /** How long a request may go without any sign of life from the server, milliseconds. Then the connection is given up. */
  readonly silenceMs: number
}

export interface ConnectionEvents {
  /** The server greeted: requests can be sent. */
  opened(): void
  /** It is closed, for whatever reason. Last of all, and once. */
  closed(cause: Error): void
}

/** A stream of messages in both directions. */
export interface MessageStream {
  send(message: Buffer): void
  close(): void
}

export interface MessageStreamEvents {
  message(message: Buffer): void
  /** It ended, other than by `close`. */
  ended(cause: Error): void
}

/**
 * One connection to one server: gRPC over HTTP/2.
 *
 * | State   | Meaning                                            | Left when                                                |
 * | ------- | -------------------------------------------------- | -------------------------------------------------------- |
 * | dialing | connected or not, the server has not greeted       | it greets: open; not within `greetingMs`: closed         |
 * | open    | requests can be sent                               | it breaks, is closed, or is silent for too long: closed  |
 * | closed  | all that was in flight is rejected                 | never                                                    |
 *
 * A server that owes a reply and says nothing gets a ping after half of `silenceMs`: one that is slow, such as for want of a quorum,
 * still answers that. An idle connection gets none: the server has rules against them.
 */
export class Connection {
  readonly #session: ClientHttp2Session
  readonly #origin: string
  readonly #silence: Silence
  #isOpen = false
  #cause: Error | undefined

  constructor({ origin, tls }: Endpoint, limits: ConnectionLimits, events: ConnectionEvents) {
    this.#origin = origin
    this.#session = connect(origin, { ...tls, settings: { enablePush: false } })
    this.#silence = new Silence(
      limits.silenceMs,
      (heard) => this.#ping(heard),
      (ms) => this.close(new NoReplyError(`${origin} has been silent for ${ms} ms`)),
    )
    const { greetingMs } = limits
    const late = setTimeout(
      () => this.close(new NoReplyError(`${origin} did not greet within ${greetingMs} ms`)),
      greetingMs,
    )
    late.unref()
    this.#session.once('remoteSettings', () => {
      if (this.#cause) return
      clearTimeout(late)
      this.#isOpen = true
      events.opened()
    })
    this.#session.on('error', (error: Error) => {
      this.#cause ??= this.#isOpen ? error : firstContact(origin, error)
    })
    this.#session.on('goaway', (code) =>
      this.close(new NoReplyError(`${origin} ended the connection (HTTP/2 code ${code})`)),
    )
    this.#session.once('close', () => {
      clearTimeout(late)
      this.#silence.stop()
      this.#isOpen = false
      events.closed(this.#cause ?? new NoReplyError(`${origin} closed the connection`))
    })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** A session is destroyed some moments before it says that it is closed, and throws in between. */
  #ping(heard: () => void): void {
    if (this.#session.destroyed) return
    this.#session.ping((error) => (error ? undefined : heard()))
  }

  /**
   * One request, one reply.
   *
   * @param call - such as `KV/Txn`
   * @throws `NoReplyError` when none came in time, `StatusError` when it was refused
   */
  call(call: string, message: Buffer, timeoutMs: number, headers: Headers): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let reply: Buffer | undefined
      const stream = this.#request(call, headers, {
        message: (received) => (reply = received),
        ended: (failure) => {
          clearTimeout(timer)
          this.#silence.answered()
          if (failure) reject(failure)
          else if (reply) resolve(reply)
          else reject(new NotEtcdError(`${call}: ${this.#origin} sent no message`))
        },
      })
      const timer = setTimeout(() => {
        // After a stall of the event loop timers run before sockets are read. The reply may be lying there already.
        setImmediate(() => {
          reject(new NoReplyError(`${call}: ${this.#origin} did not reply within ${timeoutMs} ms`))
          stream.close(canceled)
        })
      }, timeoutMs)
      this.#silence.asked()
      stream.end(frame(message))
    })
  }

  /** A stream of messages; the server is not expected to send any. */
  open(call: string, headers: Headers, events: MessageStreamEvents): MessageStream {
    let isClosed = false
    const stream = this.#request(call, headers, {
      message: (message) => {
        if (!isClosed) events.message(message)
      },
      ended: (failure) => {
        if (!isClosed) events.ended(failure ?? new NoReplyError(`${call}: ${this.#origin} ended the stream`))
      },
    })
    return {
      send: (message) => {
        if (stream.writable) stream.write(frame(message))
      },
      close: () => {
        isClosed = true
        stream.close(canceled)
      },
    }
  }

  /** Rejects what is in flight. */
  close(cause: Error): void {
    this.#cause ??= cause
    this.#isOpen = false
    this.#session.destroy()
  }

  #request(call: string, headers: Headers, events: RequestEvents): ClientHttp2Stream {
    if (!this.#isOpen) throw new NoReplyError(`${call}: the connection to ${this.#origin} is closed`)
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': `/etcdserverpb.${call}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    const outcome = new Outcome(call, this.#origin)
    const frames = new Frames()
    stream.on('response', (received) => {
      this.#silence.heard()
      outcome.begin(received)
    })
    stream.on('data', (chunk: Buffer) => {
      this.#silence.heard()
      try {
        for (const message of frames.push(chunk)) events.message(message)
      } catch (error) {
        outcome.decide(toError(error))
        stream.close(canceled)
      }
    })
    stream.on('trailers', (received: IncomingHttpHeaders) => outcome.end(received))
    stream.on('error', (error: Error) => outcome.lose(error))
    stream.once('close', () => {
      if (this.#cause) outcome.lose(this.#cause)
      events.ended(outcome.failure)
    })
    return stream
  }
}

interface RequestEvents {
  message(message: Buffer): void
  /** Last of all, and once. Without a failure the server said that all went well. */
  ended(failure: Error | undefined): void
}

type Headers = Readonly<Record<string, string>>

/** What greets in another protocol will do so again. */
const firstContact = (origin: string, error: Error): Error =>
  'code' in error && error.code === 'ERR_HTTP2_ERROR'
    ? new NotEtcdError(`${origin} does not speak HTTP/2, as etcd does`, { cause: error })
    : error

/** HTTP/2's code for a stream that nobody waits for any more. */
const canceled = 8
