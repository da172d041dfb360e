import { IndexedHeap } from './indexed-heap.js'
import type { Renewable } from './renewable.js'
import { wakeHorizon } from './watched.js'
import type { Watched } from './watched.js'

/** What is to be dealt with at an instant. */
interface Work<T extends Renewable> {
  readonly expired: readonly Watched<T>[]
  readonly due: readonly Watched<T>[]
}

/** When each item is to be renewed or expires, and which items may be renewed early along with others of their group. */
export class Schedule<T extends Renewable> {
  private readonly wakeUps = new IndexedHeap<Watched<T>>()
  /** By group: items that may be renewed along with others. */
  private readonly ready = new Map<string, IndexedHeap<Watched<T>>>()

  constructor(private readonly maxBatch: number) {}

  /** When something is to be done next; `undefined` if there is nothing. */
  get nextAt(): number | undefined {
    return this.wakeUps.peek()?.at
  }

  /** Adds the item, or moves it after its times changed. */
  set(entry: Watched<T>): void {
    const { dueAt } = entry
    this.wakeUps.set(entry.wake, Math.min(dueAt, entry.item.deadlineAt))
    if (dueAt === Infinity) this.removeReady(entry)
    else this.readyOf(entry.item.group).set(entry.ready, entry.readyAt(dueAt))
  }

  remove(entry: Watched<T>): void {
    this.wakeUps.remove(entry.wake)
    this.removeReady(entry)
  }

  /** Removes and returns everything that is to be dealt with now. */
  take(now: number): Work<T> {
    const expired: Watched<T>[] = []
    const due: Watched<T>[] = []
    const horizon = wakeHorizon(now)
    for (let top = this.wakeUps.peek(); top !== undefined && top.at < horizon; top = this.wakeUps.peek()) {
      const entry = top.value
      this.remove(entry)
      if (entry.isPastDeadline(now)) expired.push(entry)
      else if (entry.dueAt < horizon) due.push(entry)
      else this.set(entry) // its deadline was moved without a reschedule()
    }
    const counts = new Map<string, number>()
    for (const { item } of due) counts.set(item.group, (counts.get(item.group) ?? 0) + 1)
    for (const [group, count] of counts) {
      const inLastCall = count % this.maxBatch
      if (inLastCall > 0) due.push(...this.takeReady(group, this.maxBatch - inLastCall, now))
    }
    return { expired, due }
  }

  /** Those of a group that may be renewed early: as many as its last call has room for. */
  private takeReady(group: string, room: number, now: number): Watched<T>[] {
    const taken: Watched<T>[] = []
    while (taken.length < room) {
      const top = this.ready.get(group)?.peek()
      if (top === undefined || top.at > now) break
      this.remove(top.value)
      taken.push(top.value)
    }
    return taken
  }

  private readyOf(group: string): IndexedHeap<Watched<T>> {
    let heap = this.ready.get(group)
    if (heap === undefined) this.ready.set(group, (heap = new IndexedHeap()))
    return heap
  }

  private removeReady({ item: { group }, ready }: Watched<T>): void {
    const heap = this.ready.get(group)
    heap?.remove(ready)
    // The last one stays: the next item will mostly need it again.
    if (heap?.size === 0 && this.ready.size > 1) this.ready.delete(group)
  }
}
