/** One caller's slot in a queue. `done()` must be called once, also by a caller that gives up waiting. */
export class SerialSlot {
  /** Resolves when all earlier ones are done; `undefined` when there are none. */
  readonly ready: Promise<void> | undefined
  private readonly queue: SerialSlot[]
  private isDone = false
  private begin: (() => void) | undefined

  /** Joins the queue. */
  constructor(queue: SerialSlot[]) {
    this.queue = queue
    if (queue.length > 0) this.ready = new Promise((resolve) => (this.begin = resolve))
    queue.push(this)
  }

  done(): void {
    this.isDone = true
    for (let first = this.queue[0]; first?.isDone; first = this.queue[0]) {
      this.queue.shift()
      this.queue[0]?.begin?.()
    }
  }
}

/** Runs tasks one after another, in the order of the calls. A task that fails does not stop the next. */
export class SerialQueue {
  /** The first one runs. */
  readonly #queue: SerialSlot[] = []

  /** Whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.#queue.length === 0
  }

  next(): SerialSlot {
    return new SerialSlot(this.#queue)
  }

  /** Starts the task before this returns if nothing is before it. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const slot = this.next()
    if (slot.ready) await slot.ready
    try {
      return await task()
    } finally {
      slot.done()
    }
  }
}
