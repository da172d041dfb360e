import type { Hold } from './hold.js'
import { OwnerTable } from '../ownership/owner-table.js'

/** The holds that a client has, and how many it has had. */
export class Holds {
  readonly counts = { acquired: 0, released: 0, lost: 0 }
  readonly #live = new OwnerTable<Hold>()
  #onDrained: (() => void) | undefined

  get size(): number {
    return this.#live.size
  }

  /** In the order in which they were wanted. */
  get all(): Hold[] {
    return this.#live.all
  }

  find(owner: string): Hold | undefined {
    return this.#live.find(owner)
  }

  add(hold: Hold): void {
    this.counts.acquired++
    this.#live.add(hold)
  }

  /** Nothing for one that went before. */
  remove(hold: Hold, end: 'released' | 'lost'): void {
    if (!this.#live.delete(hold)) return
    this.counts[end]++
    if (this.#live.size === 0) this.#onDrained?.()
  }

  /** Resolves when there is none, and after `withinMs` at the latest. */
  async drained(withinMs: number): Promise<void> {
    if (this.#live.size === 0 || withinMs === 0) return
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve
      timer = setTimeout(resolve, withinMs)
    })
    clearTimeout(timer)
  }
}
