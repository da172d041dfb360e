/** The place of a value in one {@link LinkedList} at a time; a value in two lists has two. */
export class Link<T> {
  /** Changed by the list only: its neighbours, or itself outside. */
  before: Link<T> = this
  after: Link<T> = this

  constructor(readonly value: T) {}
}

/**
 * Values in the order in which they came, any of which can go. What goes takes no neighbour along: a link left in place would
 * keep whoever comes later alive, once it is in the old generation of the heap.
 */
export class LinkedList<T> {
  #first: Link<T> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  /** Puts it at the end, unless it is in already. */
  add(link: Link<T>): void {
    if (this.has(link)) return
    const first = this.#first
    if (first) {
      const last = first.before
      link.before = last
      link.after = first
      last.after = link
      first.before = link
    } else {
      this.#first = link
    }
    this.#size++
  }

  /** Whether it is in this list; a link is in no other. */
  has(link: Link<T>): boolean {
    return link.after !== link || this.#first === link
  }

  /** Whether it was in. */
  delete(link: Link<T>): boolean {
    if (!this.has(link)) return false
    const { before, after } = link
    before.after = after
    after.before = before
    if (this.#first === link) this.#first = after === link ? undefined : after
    link.before = link
    link.after = link
    this.#size--
    return true
  }

  /** All of them as they are now. */
  toArray(): T[] {
    const values: T[] = []
    let link = this.#first
    while (link && values.length < this.#size) {
      values.push(link.value)
      link = link.after
    }
    return values
  }
}
