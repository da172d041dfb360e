import type { Wire } from '../wire.js'

export type Way = 'toStore' | 'toClient'

/** What lies between a process and one server. What is held back arrives once the path is open again, in order. */
export class Path {
  readonly #wire: Wire
  readonly #held = new Set<Way>()
  readonly #waiting: { readonly way: Way; readonly run: () => void }[] = []

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** Has something happen at the other end. What one connection sends stays in order. */
  send(way: Way, connection: string, run: () => void): void {
    void this.#wire.travel(way, connection).then(() => {
      if (this.#held.has(way)) this.#waiting.push({ way, run })
      else run()
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
    for (const { way, run } of this.#waiting.splice(0)) this.#wire.atOnce(way, run)
  }
}
