import { UnavailableError } from '@holdfast/core/engine'
import { engineName } from '../errors.js'
import type { Parameter, Reply } from './mysql-connection.js'

/** One statement, from the call to its end. */
export interface StatementOptions {
  readonly sql: string
  readonly values: readonly Parameter[]
  readonly timeoutMs: number
  /** Time ran out: the error to reject with. */
  readonly onTimeout: (statement: Statement) => Error
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

export class Statement {
  readonly #options: StatementOptions
  readonly #timer: NodeJS.Timeout
  #isSettled = false

  constructor(options: StatementOptions) {
    this.#options = options
    const expire = (): void => {
      if (!this.#isSettled) this.fail(options.onTimeout(this))
    }
    // After a stall of the event loop the reply may lie in a socket already: let it be read first.
    this.#timer = setTimeout(() => setImmediate(expire), options.timeoutMs)
    this.#timer.unref()
  }

  get sql(): string {
    return this.#options.sql
  }

  get values(): readonly Parameter[] {
    return this.#options.values
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs
  }

  succeed(reply: Reply): void {
    if (this.#settle()) this.#options.resolve(reply)
  }

  fail(error: Error): void {
    if (this.#settle()) this.#options.reject(error)
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    clearTimeout(this.#timer)
    return true
  }
}

/** @param cause - why the last attempt to connect failed */
export const noReply = (server: string, timeoutMs: number, cause?: Error): UnavailableError => {
  const why = cause ? `; last error: ${cause.message}` : ''
  return new UnavailableError(`${server} did not reply within ${timeoutMs} ms${why}`, {
    cause,
    engine: engineName,
  })
}
