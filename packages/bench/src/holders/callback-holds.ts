/** What a library runs while it holds a lock; the library reports a loss through the signal. */
type Body = (signal: AbortSignal) => Promise<void>

/** Holds locks with a library that holds each one for as long as a callback runs. */
export class CallbackHolds {
  readonly #use: (name: string, body: Body) => Promise<unknown>
  #lost = 0

  constructor(use: (name: string, body: Body) => Promise<unknown>) {
    this.#use = use
  }

  get lost(): number {
    return this.#lost
  }

  hold(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = (signal: AbortSignal): Promise<void> => {
        signal.addEventListener('abort', () => (this.#lost += 1), { once: true })
        resolve()
        return new Promise(() => undefined)
      }
      // Once the lock is held this has no effect any more; the signal reports a loss then.
      this.#use(name, body).catch(reject)
    })
  }
}
