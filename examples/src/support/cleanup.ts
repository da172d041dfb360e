import { setTimeout as delay } from 'node:timers/promises'

/** One step of a clean-up, such as closing a connection or stopping a server. */
export type Step = () => unknown

/** What must be cleaned up at the end of a program, however it ends. */
export class Cleanup {
  readonly #steps: Step[] = []
  #hasStarted = false

  /** Adds a step. Steps run newest first, one after another. Throws once they run, so that nothing new is started. */
  defer(step: Step): void {
    if (this.#hasStarted) throw new Error('the program is ending')
    this.#steps.push(step)
  }

  /** Runs all steps, even if one fails. Resolves after `timeoutMs` at the latest. */
  async run(timeoutMs: number): Promise<void> {
    this.#hasStarted = true
    // The timer must not keep the process alive once the steps are done.
    await Promise.race([this.#runAll(), delay(timeoutMs, undefined, { ref: false })])
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps.reverse()) {
      try {
        await step()
      } catch {
        // The resource is already gone, for example a server that the same Ctrl-C ended.
      }
    }
  }
}
