/** A place in a line: `ready` resolves when the one before is done. `done()` must be called, also after giving up. */
export interface Turn {
  readonly ready: Promise<void>
  done(): void
}

/** Lets tasks run one after another, in the order of asking. A task that fails does not stop the next. */
export class Turns {
  #last = Promise.resolve()

  next(): Turn {
    const ready = this.#last
    let done: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      done = resolve
    })
    this.#last = ready.then(() => finished)
    return { ready, done }
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.next()
    await turn.ready
    try {
      return await task()
    } finally {
      turn.done()
    }
  }
}
