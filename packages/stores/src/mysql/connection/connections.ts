import { backoffMs } from '@holdfast/core/engine'
import { closed, isReadOnly, isRefusal, isUnreachable, numberOf, toError, toMysqlError } from '../errors.js'
import { Line } from './line.js'
import type { Connection, Parameter, Query, Reply } from './mysql-connection.js'
import { noReply, Statement } from './statement.js'

export interface ConnectionsDeps {
  /** Names the server in errors. */
  readonly name: string
  readonly connectTimeoutMs: number
  /** Begins a connection. */
  open(): Connection
  /** Refuses a database that cannot keep locks. Runs on each connection before anything else. */
  check(query: Query): Promise<void>
  /** One broke: the reply to what was in flight is lost. */
  onBreak(): void
  /** One was made after that. */
  onReconnect(): void
  /** One broke, or an attempt to connect failed. */
  onError(error: Error): void
}

/** A server has 151 connections unless it is told otherwise, and each statement that writes waits for the disk. */
const most = 4
/** Those that are left over when many calls at once are over. */
const idleMs = 3_000
/** Between two attempts to connect: after the first failure, and at most. A holder learns only then what is gone. */
const pauses = { firstMs: 50, longestMs: 1_000 }

/**
 * Sends statements on up to four connections of our own, each with a bound on the time it may take. They are made when a statement
 * has to wait for those there are, one after another; what is idle is ended, but for one.
 *
 * | State  | true in it                                                             | left by          |
 * | ------ | ---------------------------------------------------------------------- | ---------------- |
 * | open   | statements are sent, or wait: for a connection that is made and checked | close() → closed |
 * |        | now, or after a pause                                                  |                  |
 * | closed | nothing is left                                                        |                  |
 *
 * A statement that waits when its time runs out is never sent. Those that wait reject as soon as an attempt finds no server, unless
 * another connection is up. After a break connections are attempted whether or not anything waits.
 */
export class Connections {
  readonly #deps: ConnectionsDeps
  readonly #waiting = new Set<Statement>()
  readonly #lines = new Set<Line>()
  readonly #ending = new Set<Promise<void>>()
  #attempt: Connection | undefined
  #pause: NodeJS.Timeout | undefined
  #epoch = 0
  #failures = 0
  #isBroken = false
  #isClosed = false
  #lastError: Error | undefined

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps
  }

  /** Grows with every connection that broke. */
  get epoch(): number {
    return this.#epoch
  }

  /**
   * Runs a statement. Rejects with `UnavailableError` when no reply came within `timeoutMs`, though it may still run, and with
   * `RefusedError` when repeating it makes no sense.
   */
  run(sql: string, values: readonly Parameter[], timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw closed()
      const isHopeless = this.#pause !== undefined && this.#lines.size === 0 && isRefusal(this.#lastError)
      if (isHopeless) throw this.#explained(this.#lastError)
      const onTimeout = (statement: Statement): Error => {
        this.#waiting.delete(statement)
        return noReply(this.#deps.name, timeoutMs, this.#lines.size === 0 ? this.#lastError : undefined)
      }
      this.#waiting.add(new Statement({ sql, values, timeoutMs, onTimeout, resolve, reject }))
      this.#flush()
    })
  }

  /** Resolves when no timer and no socket is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pause)
    if (this.#attempt) this.#end(this.#attempt.destroy())
    for (const line of this.#lines) this.#end(line.end(closed()))
    this.#lines.clear()
    this.#failWaiting(closed())
    await Promise.all(this.#ending)
  }

  /** Sends what waits, as far as there are connections. */
  #flush(): void {
    for (const line of this.#lines) {
      if (line.isBusy) continue
      const [next] = this.#waiting
      if (!next) return
      this.#waiting.delete(next)
      line.send(next)
    }
    const isWanted = this.#waiting.size > 0 && this.#lines.size < most
    if (isWanted && !this.#attempt && !this.#pause) void this.#connect()
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    this.#pause = undefined
    const limitMs = 2 * this.#deps.connectTimeoutMs
    let connection: Connection | undefined
    let timer: NodeJS.Timeout | undefined
    try {
      connection = this.#deps.open()
      this.#attempt = connection
      const late = new Promise<never>((_, reject) => {
        const fail = (): void => reject(noReply(this.#deps.name, limitMs))
        timer = setTimeout(() => setImmediate(fail), limitMs)
        // This timer must not keep the process alive; the socket does.
        timer.unref()
        connection?.onEnd(reject)
      })
      late.catch(() => undefined)
      await Promise.race([connection.connect(), late])
      await Promise.race([this.#deps.check(connection.query), late])
      if (!this.#isClosed) this.#goUp(connection)
    } catch (thrown) {
      if (connection) this.#end(connection.destroy())
      if (!this.#isClosed) this.#onFailedAttempt(toError(thrown))
    } finally {
      clearTimeout(timer)
    }
  }

  #goUp(connection: Connection): void {
    this.#attempt = undefined
    this.#failures = 0
    this.#lastError = undefined
    const line = new Line(connection, {
      onFree: (free) => this.#onFree(free),
      onFailure: (failed, cause) => this.#drop(failed, cause),
      isFatal: (error) => numberOf(error) === undefined || isReadOnly(error),
      toError: (error) => this.#explained(error),
    })
    this.#lines.add(line)
    const isBack = this.#isBroken
    this.#isBroken = false
    this.#onFree(line)
    if (isBack) this.#deps.onReconnect()
  }

  #onFree(line: Line): void {
    this.#flush()
    if (line.isBusy || this.#lines.size === 1) return
    line.whenIdleFor(idleMs, () => {
      if (this.#lines.size > 1 && this.#lines.delete(line)) this.#end(line.end(closed()))
    })
  }

  #onFailedAttempt(cause: Error): void {
    this.#attempt = undefined
    const error = this.#explained(cause)
    this.#lastError = error
    // What waits may wait for the next attempt after a break, but not for one that may never succeed.
    const isHopeless = isRefusal(error) || (!this.#isBroken && isUnreachable(cause))
    if (isHopeless && this.#lines.size === 0) this.#failWaiting(error)
    this.#retry()
    this.#deps.onError(error)
  }

  /** Drops a connection that failed. A second call for the same one does nothing. */
  #drop(line: Line, cause: Error): void {
    if (!this.#lines.delete(line)) return
    const error = this.#explained(cause)
    if (this.#lines.size === 0) this.#lastError = error
    this.#epoch += 1
    this.#end(line.end(error))
    if (!this.#isBroken) this.#deps.onBreak()
    this.#isBroken = true
    if (!this.#attempt && !this.#pause) this.#retry()
    this.#deps.onError(error)
  }

  #retry(): void {
    this.#failures += 1
    this.#pause = setTimeout(
      () => {
        this.#pause = undefined
        if (this.#isBroken || this.#waiting.size > 0) void this.#connect()
      },
      backoffMs(this.#failures, pauses),
    )
    // This timer must not keep the process alive: there is no connection.
    this.#pause.unref()
  }

  #failWaiting(error: Error): void {
    for (const statement of this.#waiting) statement.fail(error)
    this.#waiting.clear()
  }

  #end(ending: Promise<void>): void {
    const ended = ending.finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }

  #explained(error: unknown): Error {
    return toMysqlError(error, this.#deps.name)
  }
}
