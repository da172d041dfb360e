/** Of how many queues the last listing is remembered. */
const mostQueues = 200

/**
 * What was made of a queue when it was listed last. With hundreds that wait, making entries is most of what a hand-off costs their clients,
 * and all but one or two of a listing are the same as in the one before.
 */
export class LastListed<Made> {
  readonly #queues = new Map<string, ReadonlyMap<string, Made>>()

  /**
   * One of each that is listed, in the same order.
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
    const before = this.#queues.get(queue)
    const now = new Map<string, Made>()
    const all = listed.map((each) => {
      const name = nameOf(each)
      const made = make(each, before?.get(name))
      now.set(name, made)
      return made
    })
    this.#remember(queue, now)
    return all
  }

  #remember(queue: string, now: ReadonlyMap<string, Made>): void {
    // The queue that was listed longest ago comes first.
    this.#queues.delete(queue)
    if (now.size > 1) this.#queues.set(queue, now)
    if (this.#queues.size <= mostQueues) return
    for (const oldest of this.#queues.keys()) {
      this.#queues.delete(oldest)
      return
    }
  }
}
