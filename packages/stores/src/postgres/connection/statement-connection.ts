import { UnavailableError } from '@holdfast/core/engine'
import {
  closed,
  engineName,
  isReadOnly,
  isRefusal,
  isUnreachable,
  toError,
  toPostgresError,
} from '../errors.js'
import type { Connection, Database, Query } from './connection.js'
import { ReconnectPace } from './reconnect-pace.js'
import { noReply, Statement, type Row } from './statement.js'
import { StatementQueue } from './statement-queue.js'

export interface StatementConnectionDeps {
  readonly database: Database
  readonly connectTimeoutMs: number
  /** Refuses a database that cannot keep locks. Runs on each connection before anything else. */
  check(query: Query): Promise<void>
  /** It broke: replies to what was in flight are lost. */
  onBreak(): void
  /** It is usable again after a break. */
  onReconnect(): void
  /** It broke, or an attempt to connect failed. */
  onError(error: Error): void
}

/** A connection that leaves statements unanswered for this long is replaced when the next of them times out. */
const muteAfterMs = 1_000

/**
 * Sends statements on one connection of our own, many at once, each with a bound on the time it may take. Behind a pooler
 * one after another: PgBouncer (1.18) hands the server connection of a client that breaks off to another client while
 * replies are still owed, unless it is a single one, and that client takes them for its own.
 *
 * | State      | true in it                                     | left by                                              |
 * | ---------- | ---------------------------------------------- | ---------------------------------------------------- |
 * | idle       | nothing was sent yet                           | run() → connecting                                   |
 * | connecting | a connection is made and checked; statements   | checked → up; failed → pausing                       |
 * |            | wait                                           |                                                      |
 * | up         | statements are sent at once                    | broken, mute, or no longer writable → pausing        |
 * | pausing    | a timer runs to the next attempt; statements   | timer → connecting                                   |
 * |            | wait, or reject if the last attempt was        |                                                      |
 * |            | refused                                        |                                                      |
 * | closed     | nothing is left                                |                                                      |
 *
 * A statement that waits when its time runs out is never sent. Those that wait reject as soon as an attempt finds no server.
 */
export class StatementConnection {
  readonly #deps: StatementConnectionDeps
  readonly #waiting = new StatementQueue()
  readonly #inFlight = new Set<Statement>()
  readonly #ending = new Set<Promise<void>>()
  #state: 'idle' | 'connecting' | 'up' | 'pausing' | 'closed' = 'idle'
  #open: Connection | undefined
  #isPooled = false
  #epoch = 0
  #wasUp = false
  readonly #pace = new ReconnectPace()
  #lastError: Error | undefined
  /** Since when a reply is owed, and none came; `Infinity` when none is. */
  #silentSince = Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(deps: StatementConnectionDeps) {
    this.#deps = deps
  }

  /** Grows with every connection that broke. */
  get epoch(): number {
    return this.#epoch
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** Why there is no reply yet, if the connection shows it. */
  get doubt(): UnavailableError | undefined {
    const doubt = this.#open?.doubt
    if (doubt === undefined) return undefined
    return new UnavailableError(`${this.#deps.database.name} is unavailable: ${doubt}`, {
      engine: engineName,
    })
  }

  /**
   * Runs a statement. Rejects with `UnavailableError` when no reply came within `timeoutMs`, though it may still run, and
   * with `RefusedError` when repeating it makes no sense.
   *
   * @param isUrgent - whether to send it before others that wait
   */
  run(
    text: string,
    values: readonly unknown[],
    timeoutMs: number,
    isUrgent = false,
  ): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'closed') throw closed()
      if (this.#state === 'pausing' && isRefusal(this.#lastError)) throw this.#explained(this.#lastError)
      const onTimeout = (statement: Statement): Error => this.#onTimeout(statement, timeoutMs)
      const statement = new Statement(text, values, { timeoutMs, onTimeout, resolve, reject })
      this.#waiting.add(statement, isUrgent)
      this.#flush()
      if (this.#state === 'idle') void this.#connect()
    })
  }

  /** Replaces the connection: the next one is checked again. */
  reconnect(cause: Error): void {
    if (this.#state === 'up' && this.#open) this.#drop(this.#open, cause)
  }

  /** Resolves when no timer and no socket is left. */
  async close(): Promise<void> {
    this.#state = 'closed'
    clearTimeout(this.#timer)
    const open = this.#open
    this.#open = undefined
    if (open) this.#end(open)
    for (const statement of [...this.#waiting.drain(), ...this.#inFlight]) statement.fail(closed())
    this.#inFlight.clear()
    await Promise.all(this.#ending)
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    const { database, connectTimeoutMs } = this.#deps
    this.#state = 'connecting'
    const open = database.open('statements', connectTimeoutMs)
    this.#open = open
    open.onEnd((cause) => this.#drop(open, cause))
    const timer = setTimeout(() => this.#drop(open, noCheck(connectTimeoutMs)), 2 * connectTimeoutMs)
    // This timer must not keep the process alive; the socket does.
    timer.unref()
    try {
      await open.connect()
      this.#isPooled = await open.isPooled()
      await this.#deps.check(open.query)
    } catch (thrown) {
      this.#drop(open, toError(thrown))
      return
    } finally {
      clearTimeout(timer)
    }
    if (this.#open === open) this.#goUp()
  }

  #goUp(): void {
    this.#state = 'up'
    this.#pace.succeeded()
    this.#lastError = undefined
    this.#flush()
    if (this.#wasUp) this.#deps.onReconnect()
    this.#wasUp = true
  }

  /** Sends what waits, as far as it may. */
  #flush(): void {
    while (this.#state === 'up' && this.#open && !(this.#isPooled && this.#inFlight.size > 0)) {
      const next = this.#waiting.take()
      if (!next) return
      this.#send(next, this.#open)
    }
  }

  #send(statement: Statement, open: Connection): void {
    const { text, values } = statement
    this.#inFlight.add(statement)
    if (this.#silentSince === Infinity) this.#silentSince = performance.now()
    open.query(text, values).then(
      (rows) => {
        this.#onReply(statement)
        statement.succeed(rows)
      },
      (thrown: unknown) => {
        this.#onReply(statement)
        statement.fail(this.#explained(thrown))
        if (isReadOnly(thrown)) this.#drop(open, toError(thrown))
      },
    )
  }

  #onReply(statement: Statement): void {
    if (!this.#inFlight.delete(statement)) return
    this.#silentSince = this.#inFlight.size > 0 ? performance.now() : Infinity
    this.#flush()
  }

  #onTimeout(statement: Statement, timeoutMs: number): Error {
    this.#waiting.delete(statement)
    const error = noReply(this.#deps.database.name, timeoutMs, this.#lastError, this.#open?.doubt)
    const isMute = performance.now() - this.#silentSince >= muteAfterMs
    if (isMute && this.#open) {
      this.#drop(this.#open, error)
      // Those that wait say it of themselves when their time runs out.
      this.#lastError = undefined
    }
    return error
  }

  /** Drops a connection that failed. A second call for the same one does nothing. */
  #drop(open: Connection, cause: Error): void {
    if (this.#open !== open) return
    this.#open = undefined
    this.#end(open)
    const wasUp = this.#state === 'up'
    this.#state = 'pausing'
    this.#lastError = cause
    this.#silentSince = Infinity
    const lost = [...this.#inFlight]
    this.#inFlight.clear()
    if (wasUp) {
      this.#epoch += 1
      this.#deps.onBreak()
    }
    const error = this.#explained(cause)
    for (const statement of lost) statement.fail(error)
    // What waits may wait for the next attempt after a break, but not for one that may never succeed.
    if (isRefusal(cause) || (!wasUp && isUnreachable(cause))) {
      for (const statement of this.#waiting.drain()) statement.fail(error)
    }
    this.#timer = setTimeout(() => void this.#connect(), this.#pace.failed(cause))
    // This timer must not keep the process alive: there is no connection.
    this.#timer.unref()
    this.#deps.onError(error)
  }

  #end(open: Connection): void {
    const ended = open.destroy().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }

  #explained(error: unknown): Error {
    return toPostgresError(error, this.#deps.database.name)
  }
}

const noCheck = (ms: number): UnavailableError =>
  new UnavailableError(`the database could not be checked within ${2 * ms} ms`, { engine: engineName })
