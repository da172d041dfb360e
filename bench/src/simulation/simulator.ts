import TinyQueue from 'tinyqueue'

interface Event {
  readonly atUs: number
  /** Events of one instant run in the order in which they were scheduled. */
  readonly order: number
  happen(): void
}

/** Runs scheduled events on a clock that jumps from one event to the next. */
export class Simulator {
  readonly #events = new TinyQueue<Event>([], (a, b) => a.atUs - b.atUs || a.order - b.order)
  #nowUs = 0
  #scheduled = 0

  get nowUs(): number {
    return this.#nowUs
  }

  /** Schedules an event `inUs` from now. */
  after(inUs: number, happen: () => void): void {
    this.#scheduled += 1
    this.#events.push({ atUs: this.#nowUs + inUs, order: this.#scheduled, happen })
  }

  /** Runs until no events are left, or until the given instant. */
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
