import type { HoldContext } from '../channels/contexts.js'
import { OwnerTable } from '../ownership/owners.js'
import type { Owned } from '../ownership/owners.js'

/** How a hold ended; `ended`: by the time that its options set. */
type HoldEnd = NonNullable<HoldContext['end']>

/** Learns which holds begin and end. */
export interface HoldObserver<H> {
  began(hold: H): void
  ended(hold: H, end: HoldEnd): void
}

/** The holds that a client has, and how many it has had. */
export class HoldTable<H extends Owned> {
  readonly counts = { acquired: 0, released: 0, ended: 0, lost: 0 }
  readonly #live = new OwnerTable<H>()
  readonly #observer: HoldObserver<H> | undefined
  #onDrained: (() => void) | undefined

  constructor(observer?: HoldObserver<H>) {
    this.#observer = observer
  }

  get size(): number {
    return this.#live.size
  }

  /** In the order of their requests. */
  get all(): H[] {
    return this.#live.all
  }

  /** In no order. */
  get unordered(): H[] {
    return this.#live.unordered
  }

  find(owner: string): H | undefined {
    return this.#live.find(owner)
  }

  add(hold: H): void {
    this.counts.acquired++
    this.#live.add(hold)
    this.#observer?.began(hold)
  }

  /** Does nothing for one that is gone already. */
  remove(hold: H, end: HoldEnd): void {
    if (!this.#live.delete(hold)) return
    this.counts[end]++
    this.#observer?.ended(hold, end)
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
