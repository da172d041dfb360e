import { note } from './renewable.js'
import type { Renewable } from './renewable.js'
import { Watched } from './watched.js'

/**
 * The items that are watched.
 *
 * Not a Map: one whose entries come and go links its outgrown tables to the new ones, and an old one that garbage collection has
 * not yet reached keeps all of them alive.
 */
export class Roster<T extends Renewable> {
  private readonly entries: Watched<T>[] = []

  get size(): number {
    return this.entries.length
  }

  /** All of them as they are now. */
  get all(): Watched<T>[] {
    return [...this.entries]
  }

  /** @throws Error if another watchdog watches the item */
  add(item: T, confirmedAt: number): Watched<T> {
    if (item[note] !== undefined) throw new Error('The item is watched by another watchdog')
    const entry = new Watched(item, confirmedAt, this.entries.length)
    this.entries.push(entry)
    item[note] = entry
    return entry
  }

  find(item: T): Watched<T> | undefined {
    const noted = item[note]
    const entry = noted instanceof Watched ? this.entries[noted.index] : undefined
    // It may be the note of another watchdog.
    return entry === noted ? entry : undefined
  }

  has(entry: Watched<T>): boolean {
    return this.entries[entry.index] === entry
  }

  delete(entry: Watched<T>): void {
    const last = this.entries.pop()
    if (last !== undefined && last !== entry) {
      this.entries[entry.index] = last
      last.index = entry.index
    }
    entry.index = -1
    entry.item[note] = undefined
  }
}
