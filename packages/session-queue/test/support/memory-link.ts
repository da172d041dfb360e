import type { Link, LinkDirection } from '@holdfast/conformance'

/** The network between one client and the store in memory. */
export class MemoryLink implements Link {
  breaks = 0
  onBreak: () => void = () => undefined
  readonly #held = { toStore: false, toClient: false }
  readonly #waiting = new Set<() => void>()
  #lose: (() => void) | undefined

  /** Resolves when what is sent now arrives; `false`: the link broke before. @param breaks - as they were when it was asked for */
  async arrival(way: 'toStore' | 'toClient', breaks = this.breaks): Promise<boolean> {
    await new Promise(setImmediate)
    while (this.#held[way] && breaks === this.breaks) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    return breaks === this.breaks
  }

  /** Asked when a command was carried out. */
  takeLoss(): void {
    const lose = this.#lose
    this.#lose = undefined
    if (!lose) return
    this.cut()
    lose()
  }

  blackHole(direction: LinkDirection): void {
    if (direction !== 'toClient') this.#held.toStore = true
    if (direction !== 'toStore') this.#held.toClient = true
  }

  heal(): void {
    this.#held.toStore = this.#held.toClient = false
    this.#wake()
  }

  cut(): void {
    this.breaks += 1
    this.#wake()
    this.onBreak()
  }

  loseNextReply(): Promise<void> {
    return new Promise((resolve) => (this.#lose = resolve))
  }

  close(): Promise<void> {
    this.breaks += 1
    this.#wake()
    return Promise.resolve()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}
