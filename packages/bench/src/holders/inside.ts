/** What a library runs while it holds a lock; the library tells of a loss by the signal. */
type Body = (signal: AbortSignal) => Promise<void>

/** Holds locks by a library that holds one for as long as a function runs. */
export class Inside {
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
      // Once the lock is held this rejects nothing any more; the signal has told of it then.
      this.#use(name, body).catch(reject)
    })
  }
}
