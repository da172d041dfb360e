import { Redis } from 'ioredis'

interface Step {
  readonly command: string
  readonly reached: () => void
  readonly goOn: Promise<void>
}

/**
 * A connection whose caller can be stopped just before one command, as a pause of its process would stop it there.
 *
 * The process itself goes on, so that a schedule decides what happens meanwhile, to the command.
 */
export class SteppedRedis extends Redis {
  #step: Step | null = null
  #goOn: () => void = () => undefined

  /** Stops before the next command of that name. Resolves when it is reached. */
  stopBefore(command: string): Promise<void> {
    const goOn = new Promise<void>((resolve) => {
      this.#goOn = resolve
    })
    return new Promise((reached) => {
      this.#step = { command, reached, goOn }
    })
  }

  /** Lets the command go out that it was stopped before. */
  goOn(): void {
    this.#goOn()
  }

  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const step = this.#step
    if (step?.command !== args[0].name) return super.sendCommand(...args)
    this.#step = null
    step.reached()
    return step.goOn.then(() => super.sendCommand(...args))
  }
}
