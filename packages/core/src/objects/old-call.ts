import { InvalidArgumentError } from '../errors/errors.js'

/**
 * Runs `work` while it holds a lock of another library, and resolves when that is free again: what it resolves with does not matter. It
 * may give `work` a signal that aborts when that lock is lost; anything else that it gives is ignored.
 */
export type OldLock = (work: (lost?: AbortSignal) => Promise<void>) => Promise<unknown>

/**
 * One call of a lock of another library. The outcome is that of the work, whatever the function around it makes of it; and
 * one that does not keep the work inside the lock is found out.
 */
export class OldCall<T> {
  readonly #lockName: string
  readonly #work: (lost: AbortSignal | undefined) => Promise<T>
  #running: Promise<T> | undefined
  #hasEnded = false
  #ranAgain = false
  #isOver = false

  /** @throws see {@link OldCall.outcome} */
  readonly outcome: Promise<T>

  constructor(oldLock: OldLock, lockName: string, work: (lost: AbortSignal | undefined) => Promise<T>) {
    this.#lockName = lockName
    this.#work = work
    this.outcome = this.#call(oldLock)
  }

  /** Whether the function has returned, so that its lock is free. */
  get isOver(): boolean {
    return this.#isOver
  }

  async #call(oldLock: OldLock): Promise<T> {
    let failure: { readonly error: unknown } | undefined
    try {
      // Without parameters of its own: some libraries call a function that has one in another style.
      await oldLock(async (...[lost]) => {
        await this.#run(lost)
      })
    } catch (error) {
      failure = { error }
    }
    this.#isOver = true
    const hadEnded = this.#hasEnded
    if (failure && !hadEnded) throw failure.error
    if (!this.#running) throw this.#misused('resolved without running its work')
    // An error of the work itself comes first: it is what the caller looks for.
    const result = await this.#running
    if (!hadEnded) throw this.#misused('resolved before its work had ended, which so ran without that lock')
    if (this.#ranAgain) throw this.#misused('ran its work a second time, which was rejected')
    if (failure) throw failure.error
    return result
  }

  #run(lost: unknown): Promise<T> {
    if (this.#running || this.#isOver) {
      this.#ranAgain = true
      return Promise.reject(this.#misused('ran its work again, or too late'))
    }
    this.#running = this.#work(lost instanceof AbortSignal ? lost : undefined)
    const end = (): void => {
      this.#hasEnded = true
    }
    this.#running.then(end, end)
    return this.#running
  }

  #misused(what: string): InvalidArgumentError {
    return new InvalidArgumentError(
      `the old lock of the bridge on lock ${this.#lockName} ${what}; have it run the work once and wait for it: ` +
        'bridge((work) => withOldLock(work), lock), or bridge(async (work) => { …; return await work() }, lock)',
      { lockName: this.#lockName },
    )
  }
}
