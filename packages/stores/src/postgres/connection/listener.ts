import { randomBytes } from 'node:crypto'
import { timedOut, within, type Inbox } from '@holdfast/core/engine'
import { closed, isRefusal, toError, toPostgresError } from '../errors.js'
import type { Connection, Database } from './connection.js'
import { ReconnectPace } from './reconnect-pace.js'

export interface ListenerDeps {
  readonly database: Database
  readonly channel: string
  /** How often the connection is tried, and how long a reply may take. */
  readonly pingEveryMs: number
  readonly timeoutMs: number
  /** Sends a message to the channel on another connection. */
  send(payload: string): Promise<void>
  onMessage(payload: string): void
  /** Messages arrive again; some may have been missed. */
  onGap(): void
  /** No messages arrive from now on. */
  onDown(cause: Error): void
  /** The connection is there, but its own messages do not reach it. */
  onDeaf(): void
}

/** Someone who waits for messages to arrive. */
interface Waiter {
  resolve(): void
  reject(error: Error): void
}

/** What the test message begins with. */
const testPrefix = 'test '

/**
 * Listens on one channel, over any number of connections one after another.
 *
 * | State      | true in it                                                       | left by                            |
 * | ---------- | ---------------------------------------------------------------- | ---------------------------------- |
 * | idle       | nobody wants messages                                            | start() → connecting               |
 * | connecting | a connection is made, and has to receive a test message          | received → up; failed, or did not  |
 * |            |                                                                  | receive it → pausing               |
 * | up         | messages arrive; the key is held                                 | lost or mute → pausing             |
 * | pausing    | a timer runs to the next attempt                                 | timer → connecting                 |
 * | closed     | nothing is left                                                  |                                    |
 *
 * Behind a pooler that lends connections by the transaction, LISTEN succeeds and no message ever arrives. So nothing counts
 * but a message that did. Only then is the key taken, by which those who grant a lock know that messages arrive here.
 */
export class Listener implements Inbox {
  readonly #deps: ListenerDeps
  readonly #waiters = new Set<Waiter>()
  readonly #ending = new Set<Promise<void>>()
  #state: 'idle' | 'connecting' | 'up' | 'pausing' | 'closed' = 'idle'
  #open: Connection | undefined
  #key: string | null = null
  readonly #pace = new ReconnectPace()
  #hasGap = false
  #isDeaf = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: ListenerDeps) {
    this.#deps = deps
  }

  /** What granters look up; `null` while no messages arrive. */
  get key(): string | null {
    return this.#key
  }

  isSubscribed(): boolean {
    return this.#key !== null
  }

  start(): void {
    if (this.#state === 'idle') void this.#connect()
  }

  /** Resolves once messages arrive; rejects when PostgreSQL refuses the connection. */
  subscribe(): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(closed())
    if (this.#state === 'up') return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.add({ resolve, reject })
      this.start()
    })
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#key = null
    clearTimeout(this.#timer)
    const open = this.#open
    this.#open = undefined
    if (open) this.#end(open)
    this.#rejectWaiters(closed())
    await Promise.all(this.#ending)
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    const { database, channel, timeoutMs } = this.#deps
    this.#state = 'connecting'
    const open = database.open('messages', timeoutMs)
    this.#open = open
    const test = `${testPrefix}${randomBytes(9).toString('base64url')}`
    let onTest = (): void => undefined
    const received = new Promise<void>((resolve, reject) => {
      onTest = resolve
      open.onEnd(reject)
    })
    received.catch(() => undefined)
    open.onEnd((cause) => this.#drop(open, cause))
    const onMessage = (payload: string): void => {
      if (payload === test) onTest()
      else if (this.#open === open && !payload.startsWith(testPrefix)) this.#deps.onMessage(payload)
    }
    try {
      await open.connect()
      await this.#inTime(open.listen(channel, onMessage))
      await this.#inTime(this.#deps.send(test))
      if ((await within(received, timeoutMs)) === timedOut) {
        this.#reportDeaf()
        throw new Error('no notifications arrive')
      }
      const key = await this.#inTime(open.takeKey(channel))
      if (this.#open === open) this.#goUp(open, key)
    } catch (thrown) {
      this.#drop(open, toError(thrown))
    }
  }

  #goUp(open: Connection, key: string): void {
    this.#state = 'up'
    this.#key = key
    this.#pace.succeeded()
    this.#isDeaf = false
    for (const waiter of this.#waiters) waiter.resolve()
    this.#waiters.clear()
    this.#schedulePing(open)
    if (this.#hasGap) this.#deps.onGap()
    this.#hasGap = false
  }

  #schedulePing(open: Connection): void {
    this.#timer = setTimeout(() => void this.#ping(open), this.#deps.pingEveryMs)
    // This timer must not keep the process alive; the socket does.
    this.#timer.unref()
  }

  async #ping(open: Connection): Promise<void> {
    try {
      await this.#inTime(open.query('select 1'))
    } catch (thrown) {
      this.#drop(open, toError(thrown))
      return
    }
    if (this.#open === open) this.#schedulePing(open)
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#deps
    const result = await within(work, timeoutMs)
    if (result === timedOut) throw new Error(`no reply within ${timeoutMs} ms`)
    return result
  }

  #reportDeaf(): void {
    if (!this.#isDeaf && this.#state !== 'closed') this.#deps.onDeaf()
    this.#isDeaf = true
  }

  /** Drops a connection that failed. A second call for the same one does nothing. */
  #drop(open: Connection, cause: Error): void {
    if (this.#open !== open) return
    this.#open = undefined
    this.#end(open)
    const wasUp = this.#state === 'up'
    this.#state = 'pausing'
    this.#key = null
    this.#hasGap ||= wasUp
    clearTimeout(this.#timer)
    if (isRefusal(cause)) this.#rejectWaiters(toPostgresError(cause, this.#deps.database.name))
    const backoffMs = this.#pace.failed(cause)
    const pauseMs = this.#isDeaf ? this.#deps.pingEveryMs : backoffMs
    this.#timer = setTimeout(() => void this.#connect(), pauseMs)
    // This timer must not keep the process alive: there is no connection.
    this.#timer.unref()
    if (!this.#isDeaf) this.#deps.onDown(cause)
  }

  #rejectWaiters(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error)
    this.#waiters.clear()
  }

  #end(open: Connection): void {
    const ended = open.destroy().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }
}
