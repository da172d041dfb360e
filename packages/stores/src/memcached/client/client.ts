import { backoffMs } from '@holdfast/core/engine'
import { Connection, type Endpoint } from './connection.js'
import { isRefusal, isUnreachable, NoReplyError, OtherConnectionError, toError } from './failures.js'
import { closed } from '../errors.js'
import type { Reply } from './reply-stream.js'

// What there is on npm was looked at: memjs, memcached, memcache, memcache-client, memcache-plus, memcache-pp and mc. None has both compare-and-
// swap and the meta commands, which read the time that a key has left: that is the only clock of memcached's that can be read with a document.

export interface ClientSettings {
  readonly endpoint: Endpoint
  /** See `ConnectionLimits`. */
  readonly silenceMs: number
}

/** What a client reports, and what it leaves to its owner. None of these throws. */
export interface ClientEvents {
  /**
   * Introduces this client on a new connection, before any other command is sent on it.
   *
   * @throws `UnfitServerError` for a server that cannot be used
   */
  greet(connection: Connection, timeoutMs: number): Promise<void>
  /** Commands work, at first and after each break. */
  connected(): void
  /** The connection broke: replies to what was in flight are lost. */
  broken(cause: Error): void
}

/** The replies to commands, and on which connection they came. */
export interface Replies {
  readonly replies: readonly Reply[]
  readonly epoch: number
}

/**
 * Commands to one server over one connection, and another one when it breaks.
 *
 * | State   | Meaning                                  | Left when                                                                     |
 * | ------- | ---------------------------------------- | ----------------------------------------------------------------------------- |
 * | at rest | never connected, and nobody waits for it | `connect`: dialing                                                            |
 * | dialing | attempts, with pauses that grow          | the server accepts the greeting: up; nobody waits, and it was never up: at rest |
 * | up      | commands work                            | the connection breaks: dialing                                                |
 * | closed  | everything rejects                       | never                                                                         |
 */
export class Client {
  readonly #settings: ClientSettings
  readonly #events: ClientEvents
  readonly #waiting = new Set<Waiting>()
  #connection: Connection | undefined
  #state: 'at rest' | 'dialing' | 'up' | 'closed' = 'at rest'
  #wasUp = false
  #epoch = 0
  #failures = 0
  #lastFailure: Error | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(settings: ClientSettings, events: ClientEvents) {
    this.#settings = settings
    this.#events = events
  }

  /** Grows with each connection that breaks. */
  get epoch(): number {
    return this.#epoch
  }

  /**
   * Resolves when commands can be sent. Once it has succeeded, broken connections are replaced in the background.
   *
   * @throws `NoReplyError` when the server could not be reached in time, `UnfitServerError` when it cannot be used
   */
  connect(timeoutMs: number): Promise<void> {
    if (this.#state === 'up') return Promise.resolve()
    if (this.#state === 'closed') return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        settle: (failure) => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          if (failure) reject(failure)
          else resolve()
        },
      }
      const timer = setTimeout(() => waiting.settle(this.#unreached(timeoutMs)), timeoutMs)
      this.#waiting.add(waiting)
      if (this.#state === 'at rest') this.#dial()
    })
  }

  /**
   * Sends commands in one write; connects first if need be.
   *
   * @param epoch - of the only connection on which they make sense; `undefined`: any
   * @throws `NoReplyError` when not all replies came in time, `OtherConnectionError` when nothing was sent
   */
  async send(commands: readonly string[], timeoutMs: number, epoch?: number): Promise<Replies> {
    const endAt = performance.now() + timeoutMs
    if (this.#state !== 'up') await this.connect(timeoutMs)
    if (epoch !== undefined && epoch !== this.#epoch)
      throw new OtherConnectionError('the connection broke since')
    const [connection, own] = [this.#connection, this.#epoch]
    if (!connection) throw new NoReplyError(`the connection to ${this.#name} broke`)
    const leftMs = Math.max(1, Math.ceil(endAt - performance.now()))
    return { replies: await connection.send(commands, leftMs), epoch: own }
  }

  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#timer)
    this.#connection?.close(closed())
    for (const waiting of [...this.#waiting]) waiting.settle(closed())
  }

  #dial(): void {
    this.#state = 'dialing'
    const { endpoint, silenceMs } = this.#settings
    // A server that stands still accepts connections and says nothing.
    const greetingMs = Math.min(shortestGreetingMs * 2 ** this.#failures, longestGreetingMs)
    let isGreeting = false
    const connection: Connection = new Connection(
      endpoint,
      { connectMs: greetingMs, silenceMs },
      {
        opened: () => {
          isGreeting = true
          void this.#greet(connection, greetingMs).finally(() => (isGreeting = false))
        },
        // What the greeting makes of it counts.
        closed: (cause) => (isGreeting ? undefined : this.#onClosed(connection, cause)),
      },
    )
    this.#connection = connection
  }

  async #greet(connection: Connection, timeoutMs: number): Promise<void> {
    try {
      await this.#events.greet(connection, timeoutMs)
      if (!connection.isOpen) throw new NoReplyError(`${this.#name} closed the connection`)
    } catch (error) {
      connection.close(toError(error))
      this.#onClosed(connection, toError(error))
      return
    }
    this.#onUp(connection)
  }

  #onUp(connection: Connection): void {
    if (connection !== this.#connection) return
    this.#state = 'up'
    this.#wasUp = true
    this.#failures = 0
    for (const waiting of [...this.#waiting]) waiting.settle()
    this.#events.connected()
  }

  #onClosed(connection: Connection, cause: Error): void {
    if (connection !== this.#connection) return
    this.#connection = undefined
    const wasUp = this.#state === 'up'
    this.#lastFailure = cause
    if (wasUp) this.#epoch += 1
    if (this.#state === 'closed') return
    this.#state = 'at rest'
    if (wasUp) this.#events.broken(cause)
    else {
      this.#failures += 1
      const hopeless = this.#hopeless(cause)
      if (hopeless) for (const waiting of [...this.#waiting]) waiting.settle(hopeless)
    }
    this.#dialAgain(wasUp)
  }

  #dialAgain(wasUp: boolean): void {
    if (!this.#wasUp && this.#waiting.size === 0) return
    this.#state = 'dialing'
    const pauseMs = wasUp ? 0 : backoffMs(this.#failures, pauses)
    this.#timer = setTimeout(() => this.#dial(), pauseMs)
    // Whoever waits has a timer of its own.
    this.#timer.unref()
  }

  /** Why those that wait need not wait longer: the server cannot be used, or was never there. */
  #hopeless(cause: Error): Error | undefined {
    if (isRefusal(cause)) return cause
    if (this.#wasUp || !isUnreachable(cause)) return undefined
    return new NoReplyError(`could not connect to ${this.#name}: ${cause.message}`, { cause })
  }

  get #name(): string {
    return this.#settings.endpoint.name
  }

  #unreached(timeoutMs: number): NoReplyError {
    const why = this.#lastFailure ? `: ${this.#lastFailure.message}` : ''
    return new NoReplyError(`could not connect to ${this.#name} within ${timeoutMs} ms${why}`, {
      cause: this.#lastFailure,
    })
  }
}

interface Waiting {
  settle(failure?: Error): void
}

const shortestGreetingMs = 750
const longestGreetingMs = 6_000
const pauses = { firstMs: 50, longestMs: 1_000 }
