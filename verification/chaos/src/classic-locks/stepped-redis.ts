import { Redis } from 'ioredis'

interface Step {
  readonly command: string
  readonly reached: () => void
  readonly resumed: Promise<void>
}

/**
 * A connection whose caller can be stopped just before one command, as a pause of its process would stop it there.
 *
 * The process itself keeps running, so that a schedule controls, to the command, what happens during the pause.
 */
export class SteppedRedis extends Redis {
  #step: Step | null = null
  #resume: () => void = () => undefined

  /** Stops before the next command of that name. Resolves when that command is reached. */
  stopBefore(command: string): Promise<void> {
    const resumed = new Promise<void>((resolve) => {
      this.#resume = resolve
    })
    return new Promise((reached) => {
      this.#step = { command, reached, resumed }
    })
  }

  /** Sends the command before which it stopped. */
  resume(): void {
    this.#resume()
  }

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const step = this.#step
    if (step?.command !== args[0].name) return super.sendCommand(...args)
    this.#step = null
    step.reached()
    return step.resumed.then(() => super.sendCommand(...args))
  }
}
