/** Of how many queues the last listing is remembered. */
const mostQueues = 200

interface Slot<Made> {
  readonly name: string
  made: Made
  /** The listing that it was in last, and where. */
  listing: number
  at: number
}

/** What one queue was when it was listed last. */
interface Known<Made> {
  readonly byName: Map<string, Slot<Made>>
  /** As they were listed. */
  listed: readonly Slot<Made>[]
  /** In the order of their arrival. */
  inOrder: readonly Slot<Made>[]
}

/**
 * What was made of a queue when it was listed last. With hundreds that wait, making entries and putting them in order is most of what a
 * hand-off costs their clients, and all but one or two of a listing are the same as in the one before.
 */
export class LastListed<Made> {
  readonly #queues = new Map<string, Known<Made>>()
  readonly #compare: (a: Made, b: Made) => number
  #listings = 0

  /** @param compare - two of one queue, by the order of their arrival */
  constructor(compare: (a: Made, b: Made) => number) {
    this.#compare = compare
  }

  /**
   * One of each that is listed, in the order of arrival.
   *
   * @param nameOf - by what it is found in the next listing
   * @param make - `before`: what was made of the same name in the last one
   */
  each<Listed>(
    queue: string,
    listed: readonly Listed[],
    nameOf: (listed: Listed) => string,
    make: (listed: Listed, before: Made | undefined) => Made,
  ): Made[] {
    const known: Known<Made> = this.#queues.get(queue) ?? { byName: new Map(), listed: [], inOrder: [] }
    const listing = (this.#listings += 1)
    const slots: Slot<Made>[] = []
    const added: Slot<Made>[] = []
    let next = 0
    for (const each of listed) {
      const name = nameOf(each)
      // Stores list in about the same order each time, and to compare two names takes a tenth of looking one up.
      const expected = known.listed[next]
      const slot = expected?.name === name ? expected : known.byName.get(name)
      const made = make(each, slot?.made)
      if (slot) {
        next = slot.at + 1
        slot.made = made
        slot.listing = listing
        slot.at = slots.length
        slots.push(slot)
      } else {
        const fresh = { name, made, listing, at: slots.length }
        added.push(fresh)
        slots.push(fresh)
      }
    }
    const isListed = (slot: Slot<Made>): boolean => slot.listing === listing
    for (const slot of known.listed) if (!isListed(slot)) known.byName.delete(slot.name)
    for (const slot of added) known.byName.set(slot.name, slot)
    known.listed = slots
    // What was there before is in order, and what is new came last, as a rule: to sort that takes one comparison of each.
    known.inOrder = [...known.inOrder.filter(isListed), ...added].sort((a, b) =>
      this.#compare(a.made, b.made),
    )
    this.#remember(queue, known)
    return known.inOrder.map(({ made }) => made)
  }

  #remember(queue: string, known: Known<Made>): void {
    // The queue that was listed longest ago comes first.
    this.#queues.delete(queue)
    if (known.listed.length > 1) this.#queues.set(queue, known)
    if (this.#queues.size <= mostQueues) return
    for (const oldest of this.#queues.keys()) {
      this.#queues.delete(oldest)
      return
    }
  }
}
