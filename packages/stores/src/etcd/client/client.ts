import { backoffMs } from '@holdfast/core/engine'
import { Message } from '../wire/protobuf.js'
import { Authentication, type User } from './authentication.js'
import { Connection, type Endpoint, type MessageStream, type MessageStreamEvents } from './connection.js'
import { isRefusal, isTokenRefused, isUnreachable, isUseless, NoReplyError, toError } from './failures.js'
import { closed } from '../errors.js'

export interface ClientSettings {
  readonly endpoints: readonly Endpoint[]
  readonly user: User | undefined
  /** See `ConnectionLimits`. */
  readonly silenceMs: number
}

/** What a client reports. None of these throws. */
export interface ClientEvents {
  /** Requests work, at first and after each break. */
  connected(): void
  /** The connection broke: replies to what was in flight are lost. */
  broken(cause: Error): void
  /** Requests carry another token from now on: streams that began with the old one are refused what is new on them. */
  reauthenticated(): void
}

/**
 * Calls to etcd over one connection, to whichever of its servers can be reached.
 *
 * | State   | Meaning                                 | Left when                                                                          |
 * | ------- | --------------------------------------- | ---------------------------------------------------------------------------------- |
 * | at rest | never connected, and nobody waits for it | `connect`: dialing                                                                |
 * | dialing | one server after another, with pauses   | one greets and accepts the password: up; nobody waits, and it was never up: at rest |
 * | up      | requests work                           | the connection breaks, or its server has no leader and there are others: dialing   |
 * | closed  | everything rejects                      | never                                                                              |
 */
export class Client {
  readonly #settings: ClientSettings
  readonly #events: ClientEvents
  readonly #waiting = new Set<Waiting>()
  #connection: Connection | undefined
  #authentication: Authentication | undefined
  #state: 'at rest' | 'dialing' | 'up' | 'closed' = 'at rest'
  #wasUp = false
  #epoch = 0
  #next: number
  #failures = 0
  #lastFailure: Error | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(settings: ClientSettings, events: ClientEvents) {
    this.#settings = settings
    this.#events = events
    // Clients that start together spread over the servers.
    this.#next = Math.floor(Math.random() * settings.endpoints.length)
  }

  get isUp(): boolean {
    // One that is being closed is not reported as closed at once.
    return this.#state === 'up' && this.#connection?.isOpen === true
  }

  /** Grows with each connection that breaks. */
  get epoch(): number {
    return this.#epoch
  }

  /** The server that requests go to, or that was dialed last. */
  get origin(): string {
    const { endpoints } = this.#settings
    return endpoints[this.#next % endpoints.length]?.origin ?? ''
  }

  /**
   * Resolves when requests can be sent. Once it has succeeded, broken connections are replaced in the background.
   *
   * @throws `NoReplyError` when no server could be reached in time, `StatusError` for a wrong password
   */
  connect(timeoutMs: number): Promise<void> {
    if (this.isUp) return Promise.resolve()
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
   * One request; connects first if need be.
   *
   * @param call - such as `KV/Txn`
   */
  async call(call: string, message: Buffer, timeoutMs: number): Promise<Message> {
    const endAt = performance.now() + timeoutMs
    if (!this.isUp) await this.connect(timeoutMs)
    const connection = this.#connection
    if (!connection) throw new NoReplyError(`${call}: the connection to ${this.origin} broke`)
    const send = (): Promise<Buffer> =>
      connection.call(call, message, Math.max(1, Math.ceil(endAt - performance.now())), this.#headers())
    try {
      return new Message(await this.#withToken(connection, send, () => endAt - performance.now()))
    } catch (error) {
      this.#leaveIfUseless(connection, toError(error))
      throw error
    }
  }

  /** A stream of messages over the connection; `null` while there is none. */
  open(call: string, events: MessageStreamEvents): MessageStream | null {
    return this.isUp ? (this.#connection?.open(call, this.#headers(), events) ?? null) : null
  }

  close(): void {
    this.#state = 'closed'
    clearTimeout(this.#timer)
    this.#connection?.close(closed())
    for (const waiting of [...this.#waiting]) waiting.settle(closed())
  }

  #headers(): Record<string, string> {
    const token = this.#authentication?.token
    // A server that has lost its leader says so, instead of having requests wait.
    return token === undefined ? { hasleader: 'true' } : { hasleader: 'true', token }
  }

  #dial(): void {
    this.#state = 'dialing'
    const { endpoints, user, silenceMs } = this.#settings
    const endpoint = endpoints[this.#next % endpoints.length]
    if (!endpoint) return
    // A server that is starting, or stands still, accepts connections and says nothing. Patience grows once all were tried.
    const rounds = Math.floor(this.#failures / endpoints.length)
    const greetingMs = Math.min(shortestGreetingMs * 2 ** rounds, longestGreetingMs)
    const connection: Connection = new Connection(
      endpoint,
      { greetingMs, silenceMs },
      {
        opened: () => {
          this.#authentication = user && new Authentication(user)
          const proven = this.#authentication?.start(connection, greetingMs) ?? Promise.resolve()
          proven.then(
            () => this.#onUp(connection),
            (error: unknown) => connection.close(toError(error)),
          )
        },
        closed: (cause) => this.#onClosed(connection, cause),
      },
    )
    this.#connection = connection
  }

  #onUp(connection: Connection): void {
    if (connection !== this.#connection || !connection.isOpen) return
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
      const hopeless = this.#isRoundOver ? this.#hopeless(cause) : undefined
      if (hopeless) for (const waiting of [...this.#waiting]) waiting.settle(hopeless)
    }
    this.#dialAgain(wasUp)
  }

  #dialAgain(wasUp: boolean): void {
    this.#next += 1
    if (!this.#wasUp && this.#waiting.size === 0) return
    this.#state = 'dialing'
    if (wasUp || !this.#isRoundOver) {
      this.#dial()
      return
    }
    const rounds = this.#failures / this.#settings.endpoints.length
    this.#timer = setTimeout(() => this.#dial(), backoffMs(rounds, pauses))
    // Whoever waits has a timer of its own.
    this.#timer.unref()
  }

  /** Whether all servers were tried since the last connection, equally often. */
  get #isRoundOver(): boolean {
    return this.#failures % this.#settings.endpoints.length === 0
  }

  async #withToken(
    connection: Connection,
    send: () => Promise<Buffer>,
    leftMs: () => number,
  ): Promise<Buffer> {
    const authentication = this.#authentication
    const { token } = authentication ?? {}
    try {
      return await send()
    } catch (error) {
      // Refused before anything was done, so it may be repeated.
      if (!authentication || !isTokenRefused(error)) throw error
      if (authentication.token === token) {
        await authentication.start(connection, Math.max(1, leftMs()))
        this.#events.reauthenticated()
      }
      return await send()
    }
  }

  /** A server that is cut off from the others is of no use while those may be reached. */
  #leaveIfUseless(connection: Connection, error: Error): void {
    const { length } = this.#settings.endpoints
    if (length > 1 && isUseless(error) && connection === this.#connection) connection.close(error)
  }

  /** Why those that wait need not wait longer: no server is as it should be, or none was ever there. */
  #hopeless(cause: Error): Error | undefined {
    if (isRefusal(cause)) return cause
    if (this.#wasUp || !isUnreachable(cause)) return undefined
    return new NoReplyError(`could not connect to ${this.#where}: ${cause.message}`, { cause })
  }

  get #where(): string {
    return this.#settings.endpoints.map(({ origin }) => origin).join(', ')
  }

  #unreached(timeoutMs: number): NoReplyError {
    const why = this.#lastFailure ? `: ${this.#lastFailure.message}` : ''
    return new NoReplyError(`could not connect to ${this.#where} within ${timeoutMs} ms${why}`, {
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
