/** A place in a line: `ready` resolves when those before are done. `done()` must be called once, also after giving up. */
export interface Turn {
  readonly ready: Promise<void>
  done(): void
}

interface Entry {
  isDone: boolean
  begin: () => void
}

const atOnce = Promise.resolve()
const nothing = (): void => undefined

/** Lets tasks run one after another, in the order of asking. A task that fails does not stop the next. */
export class Turns {
  /** The first has its turn. */
  readonly #line: Entry[] = []

  /** Whether nobody has or awaits a turn. */
  get isIdle(): boolean {
    return this.#line.length === 0
  }

  next(): Turn {
    const entry: Entry = { isDone: false, begin: nothing }
    const ready = this.isIdle
      ? atOnce
      : new Promise<void>((resolve) => {
          entry.begin = resolve
        })
    this.#line.push(entry)
    const done = (): void => {
      entry.isDone = true
      this.#advance()
    }
    return { ready, done }
  }

  /** Runs it before this returns if nobody is before it. */
  async take<T>(task: () => Promise<T>): Promise<T> {
    const isFirst = this.isIdle
    const turn = this.next()
    if (!isFirst) await turn.ready
    try {
      return await task()
    } finally {
      turn.done()
    }
  }

  #advance(): void {
    for (let [first] = this.#line; first?.isDone; [first] = this.#line) {
      this.#line.shift()
      this.#line.at(0)?.begin()
    }
  }
}
