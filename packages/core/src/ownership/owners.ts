import type { HoldContext } from '../channels/channels.js'
import { numberOf, ownerOf } from '../engine/requests.js'

/** The owners of one client, in the order in which they are made. No two are the same. */
export class Owners {
  readonly clientId: string
  #last = 0

  constructor(clientId: string) {
    this.clientId = clientId
  }

  nextNumber(): number {
    return ++this.#last
  }

  next(): string {
    return ownerOf(this.clientId, this.nextNumber())
  }
}

/** Something that belongs to the n-th owner of this client. */
export interface Owned {
  readonly n: number
  readonly owner: string
}

/** 2^32 divided by the golden ratio: spreads numbers in a row, which would fill a table in one piece. Knuth, TAOCP 6.4. */
const spread = 0x9e3779b1
const minLength = 16
/** A table up to this length never shrinks: what one burst of calls needs, the next will need too. */
const maxKeptLength = 16_384

/**
 * What belongs to which owner.
 *
 * Not a Map: when entries come and go, a Map makes a new table now and then and leaves a link to it in the old one. Once one
 * of these is in the old generation of the heap, all that follow are kept with all that was in them, and garbage collections
 * take three times as long.
 */
export class OwnerTable<T extends Owned> {
  /** A power of two of them, at least half of them empty. An item whose own slot is taken goes into the next free one. */
  #slots: (T | undefined)[] = emptySlots(minLength)
  #size = 0

  get size(): number {
    return this.#size
  }

  get all(): T[] {
    return this.unordered.sort((a, b) => a.n - b.n)
  }

  /** In no order: sorting takes longer. */
  get unordered(): T[] {
    return this.#slots.filter((item) => item !== undefined)
  }

  find(owner: string): T | undefined {
    const item = this.#slots[this.#slotOf(numberOf(owner))]
    return item?.owner === owner ? item : undefined
  }

  /** Adds something of an owner that nothing else here has. */
  add(item: T): void {
    const { length } = this.#slots
    if (2 * (this.#size + 1) > length) this.#resize(2 * length)
    this.#slots[this.#slotOf(item.n)] = item
    this.#size++
  }

  delete(item: T): boolean {
    const slot = this.#slotOf(item.n)
    if (this.#slots[slot] !== item) return false
    this.#slots[slot] = undefined
    this.#size--
    this.#closeGap(slot)
    const { length } = this.#slots
    if (length > maxKeptLength && 8 * this.#size < length) this.#resize(length / 2)
    return true
  }

  /** Where this number is, or else where it would go. */
  #slotOf(n: number): number {
    const mask = this.#slots.length - 1
    let slot = (Math.imul(n, spread) >>> 8) & mask
    for (let item = this.#slots[slot]; item && item.n !== n; item = this.#slots[slot])
      slot = (slot + 1) & mask
    return slot
  }

  /** Items behind an emptied slot may only be there because it was taken. */
  #closeGap(gap: number): void {
    const mask = this.#slots.length - 1
    for (let slot = (gap + 1) & mask; ; slot = (slot + 1) & mask) {
      const item = this.#slots[slot]
      if (!item) return
      this.#slots[slot] = undefined
      this.#slots[this.#slotOf(item.n)] = item
    }
  }

  #resize(length: number): void {
    const items = this.all
    this.#slots = emptySlots(length)
    for (const item of items) this.#slots[this.#slotOf(item.n)] = item
  }
}

const emptySlots = (count: number): undefined[] => new Array<undefined>(count).fill(undefined)

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
