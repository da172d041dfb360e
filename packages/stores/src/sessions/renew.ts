import type { QueueEntry, QueueEntryReply, Renewal, RenewalReply } from '@holdfast/core/engine'
import type { StepDeps } from './deps.js'
import { isFresh } from './heartbeat.js'
import type { Place } from './place.js'
import { standingOf } from './shared.js'
import type { Entry, Listing } from './store.js'

/** Keeps the session alive, and sees what became of holds and of those that wait. */
export class Renewing {
  readonly #deps: StepDeps

  constructor(deps: StepDeps) {
    this.#deps = deps
  }

  /** One proof for all of them. */
  async renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalReply[]> {
    const { store } = this.#deps
    const entries = renewals.map((renewal) => heldBy(this.#placeOf(renewal)))
    const asked = entries.filter((entry) => entry !== undefined)
    const proven = await store.prove(asked, timeoutMs)
    const there = new Set(asked.filter((_, i) => proven[i]))
    return renewals.map((renewal, i) => this.#outcome(renewal, entries[i], there))
  }

  #outcome(renewal: Renewal, entry: Entry | undefined, there: ReadonlySet<Entry>): RenewalReply {
    const { brake, places } = this.#deps
    const place = this.#placeOf(renewal)
    // It may have been released in the meantime, or its lease be over.
    if (!entry || !place?.isHeld || place.entry?.key !== entry.key) return 'not-held'
    if (there.has(entry)) {
      brake.extend(place, renewal.leaseMs)
      return 'renewed'
    }
    places.clear(place)
    return 'not-held'
  }

  /** Entries live as the session does. What an event may have failed to tell is looked up, with one listing for each queue. */
  async refresh(asked: readonly QueueEntry[]): Promise<readonly QueueEntryReply[]> {
    const { host, store } = this.#deps
    const { commandTimeoutMs } = host
    if (!isFresh(host, store)) await store.prove([], commandTimeoutMs)
    const listings = new Map<string, Promise<Listing>>()
    return Promise.all(
      asked.map(async (entry): Promise<QueueEntryReply> => {
        const place = this.#placeOf(entry)
        if (!place) return missing
        const { address } = place
        const listing = listings.get(address.id) ?? store.list(address, commandTimeoutMs)
        listings.set(address.id, listing)
        return stateOf(place, await listing)
      }),
    )
  }

  #placeOf({ address, owner }: Pick<Renewal, 'address' | 'owner'>): Place | undefined {
    return this.#deps.places.find(address.id, owner)
  }
}

const missing: QueueEntryReply = { state: 'missing', ttlMs: Infinity }

const heldBy = (place: Place | undefined): Entry | undefined => (place?.isHeld ? place.entry : undefined)

function stateOf({ entry }: Place, listing: Listing): QueueEntryReply {
  const { holders, waiters } = standingOf(listing)
  const has = (entries: readonly Entry[]): number => entries.findIndex(({ key }) => key === entry?.key)
  if (has(holders) >= 0) return { state: 'granted', ttlMs: Infinity }
  const at = has(waiters)
  if (at < 0) return missing
  return { state: 'waiting', ttlMs: Infinity, holder: holders[0]?.owner ?? '', position: at + 1 }
}
