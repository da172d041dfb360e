/** A place in a line: `ready` resolves when the one before is done. `done()` must be called once, also after giving up. */
export interface Turn {
  readonly ready: Promise<void>
  done(): void
}

/** Lets tasks run one after another, in the order of asking. A task that fails does not stop the next. */
export class Turns {
  #last = Promise.resolve()
  #pending = 0

  /** Whether nobody has or awaits a turn. */
  get isIdle(): boolean {
    return this.#pending === 0
  }

  next(): Turn {
    const ready = this.#last
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    this.#last = ready.then(() => finished)
    this.#pending++
    const done = (): void => {
      this.#pending--
      finish()
    }
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
