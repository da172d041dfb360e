import { UnavailableError } from '@holdfast/core/engine'
import { engineName } from '../errors.js'

/** The values of one row. PostgreSQL sends all of them as text. */
export type Row = readonly (string | null)[]

/** One statement, from the call to its end. */
export class Statement {
  readonly #resolve: (rows: readonly Row[]) => void
  readonly #reject: (error: Error) => void
  readonly #timer: NodeJS.Timeout
  #isSettled = false

  constructor(
    readonly text: string,
    readonly values: readonly unknown[],
    given: {
      readonly timeoutMs: number
      readonly onTimeout: (statement: Statement) => Error
      readonly resolve: (rows: readonly Row[]) => void
      readonly reject: (error: Error) => void
    },
  ) {
    this.#resolve = given.resolve
    this.#reject = given.reject
    const expire = (): void => {
      if (!this.#isSettled) this.fail(given.onTimeout(this))
    }
    // After a stall of the event loop the reply may lie in a socket already: let it be read first.
    this.#timer = setTimeout(() => setImmediate(expire), given.timeoutMs)
    this.#timer.unref()
  }

  succeed(rows: readonly Row[]): void {
    if (this.#settle()) this.#resolve(rows)
  }

  fail(error: Error): void {
    if (this.#settle()) this.#reject(error)
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    clearTimeout(this.#timer)
    return true
  }
}

/**
 * @param cause - why the last attempt to connect failed
 * @param doubt - otherwise, why no reply has come yet
 */
export const noReply = (
  server: string,
  timeoutMs: number,
  cause: Error | undefined,
  doubt: string | undefined,
): UnavailableError => {
  const why = cause ? `; last error: ${cause.message}` : doubt === undefined ? '' : `: ${doubt}`
  return new UnavailableError(`${server} did not reply within ${timeoutMs} ms${why}`, {
    cause,
    engine: engineName,
  })
}
