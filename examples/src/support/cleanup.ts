import { setTimeout as delay } from 'node:timers/promises'

/** A step back: closes a connection, stops a server. */
export type Step = () => unknown

/** What must be undone at the end of a program, however it ends. */
export class Cleanup {
  readonly #steps: Step[] = []
  #hasBegun = false

  /** Adds a step. Steps run newest first, one after another. Throws once they run, so that nothing new is begun. */
  defer(step: Step): void {
    if (this.#hasBegun) throw new Error('the program is ending')
    this.#steps.push(step)
  }

  /** Runs all steps. One that fails does not keep the others from running; resolves after `atMostMs` at the latest. */
  async run(atMostMs: number): Promise<void> {
    this.#hasBegun = true
    // Not a reason to stay alive when the steps are done earlier.
    await Promise.race([this.#runAll(), delay(atMostMs, undefined, { ref: false })])
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch {
        // What cannot be undone is gone already, say, a server that the same Ctrl-C ended.
      }
    }
  }
}
