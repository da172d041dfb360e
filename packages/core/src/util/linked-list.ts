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
