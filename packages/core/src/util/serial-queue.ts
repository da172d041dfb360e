/** A place in a line. `done()` must be called once, also by who gives up waiting for its turn. */
export class Turn {
  /** Resolves when those before are done; `undefined` when nobody is before. */
  readonly ready: Promise<void> | undefined
  private readonly line: Turn[]
  private isDone = false
  private begin: (() => void) | undefined

  /** Joins the line. */
  constructor(line: Turn[]) {
    this.line = line
    if (line.length > 0) this.ready = new Promise((resolve) => (this.begin = resolve))
    line.push(this)
  }

  done(): void {
    this.isDone = true
    for (let first = this.line[0]; first?.isDone; first = this.line[0]) {
      this.line.shift()
      this.line[0]?.begin?.()
    }
  }
}

/** Lets tasks run one after another, in the order of asking. A task that fails does not stop the next. */
export class Turns {
  /** The first has its turn. */
  readonly #line: Turn[] = []

  /** Whether nobody has or awaits a turn. */
  get isIdle(): boolean {
    return this.#line.length === 0
  }

  next(): Turn {
    return new Turn(this.#line)
  }

  /** Runs it before this returns if nobody is before it. */
  async take<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.next()
    if (turn.ready) await turn.ready
    try {
      return await task()
    } finally {
      turn.done()
    }
  }
}
