/** The node of a value in one {@link LinkedList} at a time; a value in two lists has two. */
export class ListNode<T> {
  /** Changed by the list only: the neighbours, or itself while in no list. */
  before: ListNode<T> = this
  after: ListNode<T> = this

  constructor(readonly value: T) {}
}

/**
 * Insertion-ordered list with O(1) removal. Removed nodes are cleared: a stale node would keep later nodes alive once it
 * is in the old generation of the heap.
 */
export class LinkedList<T> {
  #first: ListNode<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  /** Adds it at the end, unless it is in already. */
  add(node: ListNode<T>): void {
    if (this.has(node)) return
    const first = this.#first
    if (first) {
      const last = first.before
      node.before = last
      node.after = first
      last.after = node
      first.before = node
    } else {
      this.#first = node
    }
    this.#size++
  }

  /** Whether it is in this list; a node is in no other list. */
  has(node: ListNode<T>): boolean {
    return node.after !== node || this.#first === node
  }

  /** Whether it was in. */
  delete(node: ListNode<T>): boolean {
    if (!this.has(node)) return false
    const { before, after } = node
    before.after = after
    after.before = before
    if (this.#first === node) this.#first = after === node ? undefined : after
    node.before = node
    node.after = node
    this.#size--
    return true
  }

  /** All of them as they are now. */
  toArray(): T[] {
    const values: T[] = []
    let node = this.#first
    while (node && values.length < this.#size) {
      values.push(node.value)
      node = node.after
    }
    return values
  }
}

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
