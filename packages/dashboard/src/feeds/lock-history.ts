import type { HistoryEntry, LockContent } from '../shared/payloads.js'

const keptMs = 10 * 60_000
const keptEntries = 200

type Seen = Pick<LockContent, 'holders' | 'holderCount' | 'waiterCount'>

/**
 * Who held one object in the last ten minutes, as far as a page watched it: at most 200 holds. It only sees what is there when it looks: a hold that began and ended
 * between two polls is not in it.
 */
export class LockHistory {
  readonly watchedSince = Date.now()
  #entries: readonly HistoryEntry[] = []
  #queueLengths: LockContent['queueLengths'] = []

  get entries(): readonly HistoryEntry[] {
    return this.#entries
  }

  get queueLengths(): LockContent['queueLengths'] {
    return this.#queueLengths
  }

  /** @param holders - all, or of very many some: then none is known to have left */
  add(at: number, { holders, holderCount, waiterCount }: Seen): void {
    const areAll = holders.length >= holderCount
    const current = new Map(holders.map((holder) => [holder.owner, holder]))
    const seen = this.#entries.map((entry) => {
      if (entry.isOver) return entry
      if (current.delete(entry.owner)) return { ...entry, lastSeen: at }
      return areAll ? { ...entry, isOver: true } : entry
    })
    const fresh = [...current.values()].map(({ owner, process, kind, heldMs }) => ({
      owner,
      process,
      kind,
      from: at - (heldMs ?? 0),
      lastSeen: at,
      isOver: false,
    }))
    this.#entries = [...fresh, ...seen]
      .filter((entry) => !entry.isOver || at - entry.lastSeen < keptMs)
      .slice(0, keptEntries)
    this.#queueLengths = [
      ...this.#queueLengths.filter((each) => at - each.at < keptMs),
      { at, waiters: waiterCount },
    ]
  }
}
