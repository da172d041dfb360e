import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs a function in a certain async context, whichever one is running. */
export type InContext = <T>(fn: () => T) => T

/** The context of the code that first loaded this package: mostly none. A snapshot is of all stores, those of others too. */
export const outsideAllCalls: InContext = AsyncLocalStorage.snapshot()

/** Work that no caller awaits, counted so that `close()` can wait for it. Its failures go to one place. */
export class Background {
  /** Whether the client is closed: work that fails is not to be repeated. */
  isEnded = false
  readonly #running = new Set<Promise<void>>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  run(work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => this.#onError(error),
    )
    const tracked = done.finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  /** Has work that fails end instead of being repeated, and resolves when none runs any more. */
  async end(): Promise<void> {
    this.isEnded = true
    await this.settled()
  }

  /** Resolves when nothing runs any more, work that was started in the meantime included. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
