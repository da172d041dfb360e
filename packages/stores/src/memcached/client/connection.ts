import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { NoReplyError, toError, UnfitServerError } from './failures.js'
import { ReplyStream, type Reply } from './reply-stream.js'

/** Where a connection goes, and how. */
export interface Endpoint {
  /** Such as `127.0.0.1:11211`, or the path of a socket. */
  readonly name: string
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string }
  readonly tls: ConnectionOptions | undefined
}

export interface ConnectionLimits {
  /** How long connecting may take, milliseconds. */
  readonly connectMs: number
  /** How long the server may owe replies without any sign of life, milliseconds. Then the connection is given up. */
  readonly silenceMs: number
}

export interface ConnectionEvents {
  /** Commands can be sent. */
  opened(): void
  /** It is closed, for whatever reason. Last of all, and once. */
  closed(cause: Error): void
}

/** A command whose reply has not come. */
interface Pending {
  readonly sentAt: number
  settle(reply: Reply): void
}

/** One batch of commands, and the replies to it so far. */
interface Batch {
  readonly reject: (error: Error) => void
}

/** One connection to one server. Commands are pipelined; replies come in their order. */
export class Connection {
  readonly #name: string
  readonly #limits: ConnectionLimits
  readonly #events: ConnectionEvents
  readonly #socket: Socket
  readonly #replies = new ReplyStream()
  readonly #batches = new Set<Batch>()
  readonly #connectLimit: NodeJS.Timeout
  #pending: Pending[] = []
  #heardAt = -Infinity
  #isCorked = false
  #isClosed = false
  #cause: Error | undefined

  constructor({ name, target, tls }: Endpoint, limits: ConnectionLimits, events: ConnectionEvents) {
    this.#name = name
    this.#limits = limits
    this.#events = events
    const opened = (): void => {
      clearTimeout(this.#connectLimit)
      if (!this.#isClosed) events.opened()
    }
    this.#socket = tls ? connectTls({ ...target, ...tls }, opened) : connectTcp(target, opened)
    this.#socket.setNoDelay(true)
    const { connectMs } = limits
    this.#connectLimit = setTimeout(
      () => this.close(new NoReplyError(`${name} did not accept the connection within ${connectMs} ms`)),
      connectMs,
    )
    this.#connectLimit.unref()
    this.#socket.on('data', (bytes: Buffer) => this.#onBytes(bytes))
    this.#socket.on('error', (error: Error) => (this.#cause ??= error))
    this.#socket.on('close', () => this.close(new NoReplyError(`${name} closed the connection`)))
  }

  get isOpen(): boolean {
    return !this.#isClosed
  }

  /**
   * Sends commands in one write.
   *
   * @throws `NoReplyError` when not all replies came in time
   */
  send(commands: readonly string[], timeoutMs: number): Promise<readonly Reply[]> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new NoReplyError(`the connection to ${this.#name} broke`))
        return
      }
      const replies: Reply[] = []
      const sentAt = performance.now()
      // After a stall of the event loop timers run before sockets are read. The replies may be lying there already.
      const timer = setTimeout(() => setImmediate(() => this.#onLate(batch, timeoutMs)), timeoutMs)
      const batch: Batch = {
        reject: (error) => {
          clearTimeout(timer)
          this.#batches.delete(batch)
          reject(error)
        },
      }
      const settle = (reply: Reply): void => {
        if (replies.push(reply) < commands.length) return
        clearTimeout(timer)
        this.#batches.delete(batch)
        resolve(replies)
      }
      this.#batches.add(batch)
      for (const command of commands) {
        this.#pending.push({ sentAt, settle })
        this.#write(command)
      }
    })
  }

  close(cause: Error): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const why = this.#cause ?? cause
    clearTimeout(this.#connectLimit)
    this.#socket.destroy()
    this.#pending = []
    for (const { reject } of [...this.#batches]) {
      reject(why instanceof UnfitServerError ? why : new NoReplyError(why.message, { cause: why }))
    }
    this.#events.closed(why)
  }

  /** What is sent in one turn of the event loop goes in one write. */
  #write(command: string): void {
    if (!this.#isCorked) {
      this.#isCorked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isCorked = false
        this.#socket.uncork()
      })
    }
    this.#socket.write(command)
  }

  /** The commands stay in line: their replies will still come, in their order. */
  #onLate(batch: Batch, timeoutMs: number): void {
    if (!this.#batches.has(batch)) return
    batch.reject(new NoReplyError(`${this.#name} did not reply within ${Math.round(timeoutMs)} ms`))
    const [oldest] = this.#pending
    if (!oldest) return
    const silentMs = performance.now() - Math.max(oldest.sentAt, this.#heardAt)
    if (silentMs < this.#limits.silenceMs) return
    this.close(new NoReplyError(`${this.#name} has been silent for ${Math.round(silentMs)} ms`))
  }

  #onBytes(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#heardAt = performance.now()
    try {
      for (const reply of this.#replies.push(bytes)) this.#pending.shift()?.settle(reply)
    } catch (error) {
      const what = `${this.#name} does not speak memcached's protocol: ${toError(error).message}`
      this.close(new UnfitServerError(what, { cause: error }))
    }
  }
}
