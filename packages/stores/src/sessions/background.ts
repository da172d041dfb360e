import { backoffMs } from '@holdfast/core/engine'

const bounds = { firstMs: 50, longestMs: 2_000 }

/** Steps that no caller waits for, repeated until they succeed, make no sense any more, or the client closes. */
export class Background {
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false

  /** @param isWanted - asked before each repetition */
  repeat(step: () => Promise<unknown>, isWanted: () => boolean, failures = 0): void {
    if (this.#isClosed || !isWanted()) return
    step().catch(() => {
      if (this.#isClosed) return
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          this.repeat(step, isWanted, failures + 1)
        },
        backoffMs(failures + 1, bounds),
      )
      timer.unref()
      this.#timers.add(timer)
    })
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
