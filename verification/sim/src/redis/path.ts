import type { Wire } from '../wire.js'

export type Way = 'toStore' | 'toClient'

/** What one connection has sent one way, and how much of that was held back where it arrived. */
interface Lane {
  readonly way: Way
  readonly sent: (() => void)[]
  held: number
}

/** What lies between a process and one server. What is held back arrives once the path is open again. */
export class Path {
  readonly #wire: Wire
  readonly #held = new Set<Way>()
  readonly #lanes = new Map<string, Lane>()

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** Has something happen at the other end. What one connection sends stays in order, also where a frozen process lets it wait. */
  send(way: Way, connection: string, run: () => void): void {
    const name = `${way} ${connection}`
    const lane = this.#lanes.get(name) ?? { way, sent: [], held: 0 }
    this.#lanes.set(name, lane)
    lane.sent.push(run)
    void this.#wire.travel(way, connection).then(() => {
      if (this.#held.has(way)) lane.held += 1
      else lane.sent.shift()?.()
    })
  }

  /** Has something happen at that end, as soon as it runs. */
  atOnce(way: Way, run: () => void): void {
    this.#wire.atOnce(way, run)
  }

  hold(way: Way): void {
    this.#held.add(way)
  }

  open(): void {
    this.#held.clear()
    for (const lane of this.#lanes.values())
      for (; lane.held > 0; lane.held -= 1) this.#wire.atOnce(lane.way, () => lane.sent.shift()?.())
  }
}
