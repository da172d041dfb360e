import { toError } from '../errors.js'
import type { Connection } from './mysql-connection.js'
import type { Statement } from './statement.js'

/** A statement that has no reply after this long, and after its own time, ends its connection. */
const hungAfterMs = 1_000

export interface LineDeps {
  /** A reply came: it takes the next statement. Not called for a connection that failed. */
  onFree(line: Line): void
  onFailure(line: Line, cause: Error): void
  /** Whether this error of a statement means that the connection is of no use any more. */
  isFatal(error: unknown): boolean
  toError(error: unknown): Error
}

/** A connection that is up. It carries out one statement at a time, as MySQL's protocol has it. */
export class Line {
  readonly #connection: Connection
  readonly #deps: LineDeps
  #statement: Statement | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(connection: Connection, deps: LineDeps) {
    this.#connection = connection
    this.#deps = deps
    connection.onEnd((cause) => deps.onFailure(this, cause))
  }

  get isBusy(): boolean {
    return this.#statement !== undefined
  }

  send(statement: Statement): void {
    this.#statement = statement
    clearTimeout(this.#timer)
    const limitMs = Math.max(statement.timeoutMs, hungAfterMs)
    const giveUp = (): void => {
      if (this.#statement === statement) {
        this.#deps.onFailure(this, new Error(`a statement had no reply after ${limitMs} ms`))
      }
    }
    this.#timer = setTimeout(() => setImmediate(giveUp), limitMs)
    this.#timer.unref()
    const { sql, values } = statement
    this.#connection.query(sql, values).then(
      (reply) => {
        statement.succeed(reply)
        this.#free(statement)
      },
      (thrown: unknown) => {
        statement.fail(this.#deps.toError(thrown))
        if (this.#deps.isFatal(thrown)) this.#deps.onFailure(this, toError(thrown))
        else this.#free(statement)
      },
    )
  }

  /** Calls back unless it gets a statement before. */
  whenIdleFor(ms: number, call: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(call, ms)
    this.#timer.unref()
  }

  /** Its statement rejects. Resolves when nothing of the connection is left. */
  end(error: Error): Promise<void> {
    clearTimeout(this.#timer)
    this.#statement?.fail(error)
    this.#statement = undefined
    return this.#connection.destroy()
  }

  #free(statement: Statement): void {
    if (this.#statement !== statement) return
    clearTimeout(this.#timer)
    this.#statement = undefined
    this.#deps.onFree(this)
  }
}
