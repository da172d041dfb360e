import type { HistoryEvent } from './event.js'
import { groupBy, type OfKind } from './grouping.js'

/** A time in which a hold was continuously live: from `fromMs` up to, but excluding, `untilMs`. */
export interface Stretch {
  readonly fromMs: number
  untilMs: number
  /** The event that made the claim. */
  readonly from: HistoryEvent
  /** The event that ended it; `null`: the claim expired, or it did not end. */
  until: HistoryEvent | null
}

/** From an instant on, how many permits a hold needed. */
export interface Level {
  readonly fromMs: number
  readonly permits: number
  /** The event that set it. */
  readonly from: HistoryEvent
}

/** One owner's possession of one lock, as its process claimed it. */
export interface Hold {
  readonly lock: string
  readonly owner: string
  readonly process: string
  /** Its first entry, and every later one. */
  readonly entries: readonly [OfKind<'acquired'>, ...OfKind<'acquired'>[]]
  /** Ordered and disjoint; empty if the first claim had expired when it was made. */
  readonly live: readonly Stretch[]
  /** Ordered, each different from the one before. */
  readonly levels: readonly Level[]
}

/** How many permits the hold needed at that instant. */
export function permitsAt({ levels }: Hold, atMs: number): number {
  return levels.filter(({ fromMs }) => fromMs <= atMs).at(-1)?.permits ?? 0
}

/** How many permits it entered with. */
export function permitsOf({ entries: [{ permits }] }: Pick<Hold, 'entries'>): number {
  return permits ?? 1
}

/**
 * All holds, in the order of their first entries. Takes events in order.
 *
 * An entry with count 1 begins a hold, even if its owner has one already: an owner that enters twice as if for the
 * first time is two users of one lock.
 */
export function holdsOf(events: readonly HistoryEvent[]): Hold[] {
  return [...groupBy(events, (event) => ('lock' in event ? event.lock : '')).entries()]
    .filter(([lock]) => lock !== '')
    .flatMap(([, ofLock]) => holdsOfLock(ofLock, events))
    .sort((a, b) => a.entries[0].atMs - b.entries[0].atMs)
}

function holdsOfLock(ofLock: readonly HistoryEvent[], events: readonly HistoryEvent[]): Hold[] {
  const kills = events.filter((event) => event.kind === 'killed')
  const holds: OpenHold[] = []
  const byOwner = new Map<string, OpenHold>()
  const byCall = new Map<string, OpenHold>()
  for (const event of [...ofLock, ...kills].sort((a, b) => a.atMs - b.atMs)) {
    switch (event.kind) {
      case 'acquired': {
        const known = event.count > 1 ? byOwner.get(event.owner) : undefined
        const hold = known ?? new OpenHold(event)
        if (!known) holds.push(hold)
        byOwner.set(event.owner, hold)
        byCall.set(event.call, hold)
        hold.enter(event)
        break
      }
      case 'confirmed':
        byOwner.get(event.owner)?.claim(event, event.claimUntilMs)
        break
      case 'lowered':
        byCall.get(event.call)?.lower(event)
        break
      case 'left':
        byCall.get(event.call)?.leave(event)
        break
      case 'lost':
      case 'loss-found':
        byCall.get(event.call)?.lose(event)
        break
      case 'killed':
        for (const hold of holds) if (hold.process === event.process) hold.die(event)
        break
      default:
    }
  }
  return holds
}

/** A hold under construction from its events. */
class OpenHold implements Hold {
  readonly lock: string
  readonly owner: string
  readonly process: string
  readonly entries: [OfKind<'acquired'>, ...OfKind<'acquired'>[]]
  readonly live: Stretch[] = []
  readonly levels: Level[] = []
  /** The permits that each open call needs. */
  readonly #open = new Map<string, number>()
  #claimUntilMs = -Infinity

  constructor(first: OfKind<'acquired'>) {
    this.lock = first.lock
    this.owner = first.owner
    this.process = first.process
    this.entries = [first]
  }

  enter(event: OfKind<'acquired'>): void {
    if (event !== this.entries[0]) this.entries.push(event)
    this.#open.set(event.call, event.permits ?? 1)
    this.#level(event)
    this.claim(event, event.claimUntilMs ?? Infinity)
  }

  claim(event: HistoryEvent, untilMs: number): void {
    if (this.#open.size === 0) return
    this.#claimUntilMs = Math.max(this.#claimUntilMs, untilMs)
    if (this.#claimUntilMs <= event.atMs) return
    const last = this.live.at(-1)
    if (last && isContinued(last, event.atMs)) {
      last.untilMs = this.#claimUntilMs
      last.until = null
    } else {
      this.live.push({ fromMs: event.atMs, untilMs: this.#claimUntilMs, from: event, until: null })
    }
  }

  leave(event: OfKind<'left'>): void {
    this.#open.delete(event.call)
    if (this.#open.size === 0) this.#cut(event)
    else this.#level(event)
  }

  lower(event: OfKind<'lowered'>): void {
    if (!this.#open.has(event.call)) return
    this.#open.set(event.call, event.permits)
    this.#level(event)
  }

  /** A claim made later than this counts again: claiming a hold that is known to be lost is a violation, too. */
  lose(event: OfKind<'lost' | 'loss-found'>): void {
    this.#claimUntilMs = -Infinity
    this.#cut(event)
  }

  die(event: OfKind<'killed'>): void {
    this.#cut(event)
  }

  #level(event: HistoryEvent): void {
    const permits = Math.max(...this.#open.values())
    if (this.levels.at(-1)?.permits !== permits)
      this.levels.push({ fromMs: event.atMs, permits, from: event })
  }

  #cut(event: HistoryEvent): void {
    const last = this.live.at(-1)
    if (last && event.atMs <= last.untilMs) {
      last.untilMs = event.atMs
      last.until = event
    }
  }
}

/** Claims are in whole milliseconds, rounded down: one that expired by itself may have gone on for almost one more. */
const isContinued = ({ untilMs, until }: Stretch, atMs: number): boolean =>
  atMs <= untilMs || (until === null && atMs < untilMs + 1)
