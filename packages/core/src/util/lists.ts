import { AsyncLocalStorage } from 'node:async_hooks'

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

/** Runs a function in a certain async context, whichever one is running. */
export type InContext = <T>(fn: () => T) => T

/** The context of the code that first loaded this package: mostly none. A snapshot is of all stores, those of others too. */
export const outsideAllCalls: InContext = AsyncLocalStorage.snapshot()

/** Work that no caller awaits, counted so that `close()` can wait for it. Its failures go to one place. */
export class Background {
  /** Whether the client is closed: work that fails is not to be repeated. */
  isEnded = false
  readonly #running = new Set<Promise<void>>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  run(work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => this.#onError(error),
    )
    const tracked = done.finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
  }

  /** Has work that fails end instead of being repeated, and resolves when none runs any more. */
  async end(): Promise<void> {
    this.isEnded = true
    await this.settled()
  }

  /** Resolves when nothing runs any more, work that was started in the meantime included. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}

/** Of CRC-16 (XMODEM). Made when it is first needed, which only clusters and multi locks do. */
let table: Uint16Array | undefined

const makeTable = (): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)
    return crc
  })

/** The hash slot that a Redis Cluster gives a key: that of its hash tag, if it has one. */
export function slotOf(key: string): number {
  const start = key.indexOf('{')
  const end = start < 0 ? -1 : key.indexOf('}', start)
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key
  const crcs = (table ??= makeTable())
  let crc = 0
  for (const byte of Buffer.from(hashed)) crc = ((crc << 8) ^ (crcs[(crc >> 8) ^ byte] ?? 0)) & 0xffff
  return crc % 16_384
}
