import { ConnectionLostError } from '../link/errors.js'

/** Sends one command. */
type Send<Target> = (target: Target) => Promise<unknown>

interface Entry<Target> {
  readonly send: Send<Target>
  readonly since: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
}

/** Commands that wait until there is something to send them on. */
export class Unsent<Target> {
  readonly #limitMs: number
  #entries: Entry<Target>[] = []

  /** @param limitMs - those that have waited longer are not sent any more: their callers have given up */
  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** Settles as `send` does, once it is called. */
  add(send: Send<Target>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ send, since: performance.now(), resolve, reject })
    })
  }

  sendOn(target: Target): void {
    const since = performance.now() - this.#limitMs
    for (const entry of this.#take()) {
      if (entry.since < since) entry.reject(new ConnectionLostError())
      else entry.send(target).then(entry.resolve, entry.reject)
    }
  }

  reject(error: Error): void {
    for (const entry of this.#take()) entry.reject(error)
  }

  #take(): Entry<Target>[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }
}
