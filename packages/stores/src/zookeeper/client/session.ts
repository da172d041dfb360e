import { backoffMs, ClosedError } from '@holdfast/core/engine'
import { Connection, xids } from './connection.js'
import { NoReplyError, ZooKeeperError } from './errors.js'
import { Writer, type Reader } from './jute.js'
import { op, type Request, type Requests } from './requests.js'
import type { Settings } from '../options.js'
import { Watches, type WatchKind } from './watches.js'

/** How long a server may take to greet, milliseconds; longer each time that none did. */
const greetingBounds = { firstMs: 750, longestMs: 10_000 }
const dialBounds = { firstMs: 40, longestMs: 1_000 }
/** How long a connection may be silent, and when it is tried, as parts of the session. */
const silence = 2 / 3
const looksPerSession = 12
/** At each look but right after something was sent: the less time is between two messages, the later is the proof of a write. */
const quiet = 1 / (2 * looksPerSession)
/** How long it may owe a reply, as parts of the time that a command has and of the session: callers that wait for less say nothing of it. */
const mute = { ofCommand: 0.9, ofSession: 1 / 3 }
/** A protocol version, the transaction seen last, and that writes are wanted. */
const protocolVersion = 0

export interface SessionDeps extends Pick<Settings, 'servers' | 'tls' | 'auth' | 'tickMs'> {
  readonly sessionTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly requests: Requests
  readonly now: () => number
  /** Why sessions of this length will not do, if they will not. */
  readonly refuses?: (sessionMs: number) => Error | undefined
}

/** What a session reports. */
export interface SessionEvents {
  /** A connection broke on which requests were possible. */
  broken(): void
  /** The session of this name is over. Nothing of it is left, or will be when its time is up. */
  ended(session: string): void
  /** Requests are possible, perhaps in another session. */
  connected(): void
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * A session with an ensemble, over one connection after another; another session when one is over.
 *
 * It gives a session up when nothing was heard for as long as it lives: to go on connecting would keep it alive at the servers, unknown
 * to this side, and with it all that others wait for.
 */
export class Session {
  /** Grows with each connection that breaks. */
  epoch = 0
  /** As the ensemble granted it; until then as wanted. */
  sessionMs: number
  /** When the leader last heard of this session, as far as writes prove that it has carried out. */
  provenAt = -Infinity
  readonly #deps: SessionDeps
  readonly #events: SessionEvents
  readonly #watches = new Watches()
  readonly #waiting = new Set<Waiting>()
  #id = 0n
  #password: Buffer = Buffer.alloc(16)
  #lastZxid = 0n
  #heardAt = -Infinity
  #connection: Connection | undefined
  #isUp = false
  #isClosed = false
  #hasBeenUp = false
  #at: number
  #failures = 0
  #unanswered = 0
  #dialTimer: NodeJS.Timeout | undefined
  #pulse: NodeJS.Timeout | undefined
  /** Why the ensemble does not take this client. */
  #refusal: Error | undefined

  constructor(deps: SessionDeps, events: SessionEvents) {
    this.#deps = deps
    this.#events = events
    this.sessionMs = deps.sessionTimeoutMs
    // Clients spread over the servers.
    this.#at = Math.floor(Math.random() * deps.servers.length)
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** '' without one. */
  get name(): string {
    return this.#id === 0n ? '' : BigInt.asUintN(64, this.#id).toString(36)
  }

  get id(): bigint {
    return this.#id
  }

  /** Resolves when requests can be sent. */
  connect(timeoutMs: number): Promise<void> {
    if (this.#isUp) return Promise.resolve()
    if (this.#isClosed) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        settle()
      }
      const waiting = { resolve: () => done(resolve), reject: (error: Error) => done(() => reject(error)) }
      const late = (): void =>
        waiting.reject(new NoReplyError(`no connection within ${Math.round(timeoutMs)} ms`))
      const timer = setTimeout(late, timeoutMs)
      this.#waiting.add(waiting)
      if (!this.#connection && !this.#dialTimer) this.#dial()
    })
  }

  /**
   * Sends a request when one can be sent.
   *
   * @param session - the only one in which it makes sense; `undefined`: any
   */
  async request<T>(request: Request<T>, timeoutMs: number, session?: string): Promise<T> {
    const startedAt = this.#deps.now()
    while (!this.#isUp || !this.#connection) {
      const leftMs = timeoutMs - (this.#deps.now() - startedAt)
      if (leftMs <= 0)
        throw new NoReplyError(`${request.what}: no connection within ${Math.round(timeoutMs)} ms`)
      await this.connect(leftMs)
    }
    if (session !== undefined && session !== this.name) {
      throw new NoReplyError(`${request.what}: the session has ended`)
    }
    return this.#connection.request(request, timeoutMs - (this.#deps.now() - startedAt))
  }

  watch(kind: WatchKind, path: string, callback: () => void): () => void {
    return this.#watches.add(kind, path, callback)
  }

  /** Ends the session at the ensemble, if that replies within a second. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    if (this.#isUp) {
      const limitMs = Math.min(1_000, this.#deps.commandTimeoutMs)
      await this.#connection?.request(this.#deps.requests.close(), limitMs).catch(() => undefined)
    }
    this.#isClosed = true
    clearTimeout(this.#dialTimer)
    clearInterval(this.#pulse)
    this.#connection?.end(closed())
    this.#rejectAll(closed())
  }

  #dial(): void {
    this.#dialTimer = undefined
    if (this.#isClosed) return
    this.#giveUpIfOver()
    const { servers, tls, now, tickMs, commandTimeoutMs } = this.#deps
    const server = servers[this.#at++ % servers.length]
    if (!server) return
    const sentAt = now()
    const greetingMs = Math.min(
      greetingBounds.longestMs,
      greetingBounds.firstMs * 2 ** Math.floor(this.#unanswered / (2 * servers.length)),
    )
    const muteMs = Math.min(commandTimeoutMs * mute.ofCommand, this.sessionMs * mute.ofSession)
    const connection: Connection = new Connection(
      {
        ...server,
        tls,
        greeting: this.#greeting(),
        greetingMs,
        muteMs,
        now,
        tickMs,
      },
      {
        greeted: (reply) => this.#onGreeting(connection, reply, sentAt),
        watched: (type, path) => this.#watches.onEvent(type, path),
        proven: (at) => (this.provenAt = Math.max(this.provenAt, at)),
        authenticated: (error) => this.#onAuth(connection, error),
        closed: (cause, wasAnswered) => this.#onClose(connection, cause, wasAnswered),
      },
    )
    this.#connection = connection
  }

  #greeting(): Buffer {
    return new Writer()
      .int(protocolVersion)
      .long(this.#lastZxid)
      .int(this.#deps.sessionTimeoutMs)
      .long(this.#id)
      .bytes(this.#password)
      .bool(false)
      .frame()
  }

  #onGreeting(connection: Connection, reply: Reader, sentAt: number): void {
    reply.int() // protocol version
    const timeoutMs = reply.int()
    const id = reply.long()
    const password = Buffer.from(reply.bytes())
    if (timeoutMs <= 0) {
      this.#end()
      connection.end(new Error('the ensemble has ended the session'))
      return
    }
    this.#refusal = this.#deps.refuses?.(timeoutMs)
    if (this.#refusal) {
      connection.end(this.#refusal)
      return
    }
    const isNew = id !== this.#id
    this.#id = id
    this.#password = password
    this.sessionMs = timeoutMs
    this.#heardAt = this.#deps.now()
    // A majority has it.
    if (isNew) this.provenAt = sentAt
    for (const { scheme, auth } of this.#deps.auth) {
      connection.send(new Writer().int(xids.auth).int(op.auth).int(0).text(scheme).text(auth).frame())
    }
    if (!isNew)
      for (const frame of this.#watches.frames(xids.setWatches, this.#lastZxid)) connection.send(frame)
    this.#isUp = this.#hasBeenUp = true
    this.#failures = this.#unanswered = 0
    this.#startPulse()
    for (const { resolve } of [...this.#waiting]) resolve()
    this.#events.connected()
    if (isNew) this.#watches.fireAll()
  }

  #onAuth(connection: Connection, error: number): void {
    if (error === 0) return
    this.#refusal = new ZooKeeperError(error, 'authentication')
    connection.end(this.#refusal)
  }

  #onClose(connection: Connection, cause: Error, wasAnswered: boolean): void {
    if (connection !== this.#connection) return
    if (wasAnswered) this.#heardAt = Math.max(this.#heardAt, connection.heardAt)
    else this.#unanswered += 1
    if (connection.lastZxid > this.#lastZxid) this.#lastZxid = connection.lastZxid
    this.#connection = undefined
    clearInterval(this.#pulse)
    const wasUp = this.#isUp
    this.#isUp = false
    if (wasUp) this.epoch += 1
    if (this.#isClosed) return
    if (wasUp) this.#events.broken()
    if (this.#refusal) this.#end()
    this.#giveUpIfOver()
    this.#dialLater(cause, wasUp)
  }

  #dialLater(cause: Error, wasUp: boolean): void {
    this.#failures = wasUp ? 0 : this.#failures + 1
    const isHopeless = !this.#hasBeenUp && this.#failures >= this.#deps.servers.length && isUnreachable(cause)
    if (this.#refusal) this.#rejectAll(this.#refusal)
    else if (isHopeless) this.#rejectAll(new NoReplyError(cause.message, { cause }))
    // Nobody waits for a client that was never connected.
    if ((!this.#hasBeenUp || this.#refusal) && this.#waiting.size === 0) return
    this.#dialTimer = setTimeout(() => this.#dial(), wasUp ? 1 : backoffMs(this.#failures, dialBounds))
  }

  #startPulse(): void {
    clearInterval(this.#pulse)
    this.#pulse = setInterval(() => this.#onPulse(), Math.max(20, this.sessionMs / looksPerSession))
    this.#pulse.unref()
  }

  #onPulse(): void {
    const connection = this.#connection
    if (!connection) return
    const at = this.#deps.now()
    if (at - connection.heardAt > this.sessionMs * silence) {
      const { heardAt } = connection
      // After a process stood still, what has come is read before it is missed.
      setImmediate(() => {
        if (connection.heardAt > heardAt) return
        connection.end(new Error('the server was silent for two thirds of the session'))
      })
      return
    }
    if (at - connection.spokeAt > this.sessionMs * quiet) connection.ping()
  }

  #giveUpIfOver(): void {
    if (this.#id !== 0n && this.#deps.now() - this.#heardAt > this.sessionMs) this.#end()
  }

  #end(): void {
    const ended = this.name
    this.#id = 0n
    this.#password = Buffer.alloc(16)
    // A server refuses clients that have seen a later transaction than it has: after a restore from a backup, for ever.
    this.#lastZxid = 0n
    this.provenAt = -Infinity
    if (ended !== '') this.#events.ended(ended)
  }

  #rejectAll(error: Error): void {
    for (const { reject } of [...this.#waiting]) reject(error)
  }
}

/** Whether the system could not connect: no such host, nobody listens, or a certificate that is not trusted. */
const isUnreachable = (error: Error): boolean => 'code' in error

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
