import TinyQueue from 'tinyqueue'

interface Event {
  readonly atUs: number
  /** Events of one instant happen in the order in which they were planned. */
  readonly order: number
  happen(): void
}

/** Plays what is planned on a clock that jumps from one event to the next. */
export class Simulator {
  readonly #events = new TinyQueue<Event>([], (a, b) => a.atUs - b.atUs || a.order - b.order)
  #nowUs = 0
  #planned = 0

  get nowUs(): number {
    return this.#nowUs
  }

  /** Plans something for `inUs` from now. */
  after(inUs: number, happen: () => void): void {
    this.#planned += 1
    this.#events.push({ atUs: this.#nowUs + inUs, order: this.#planned, happen })
  }

  /** Plays until nothing is planned any more, or until the instant. */
  run(untilUs = Infinity): void {
    for (;;) {
      const next = this.#events.peek()
      if (next === undefined || next.atUs > untilUs) return
      this.#events.pop()
      this.#nowUs = next.atUs
      next.happen()
    }
  }
}
