import { setTimeout as delay } from 'node:timers/promises'

/** What must be undone at the end of a program, however it ends. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = []

  /** Adds a step. Steps run newest first, one after another. */
  defer(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  /** Runs all steps once. One that fails does not keep the others from running; resolves after `atMostMs` at the latest. */
  async run(atMostMs: number): Promise<void> {
    // Not a reason to stay alive when the steps are done earlier.
    await Promise.race([this.#runAll(), delay(atMostMs, undefined, { ref: false })])
  }

  async #runAll(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step().catch(() => undefined)
  }
}
