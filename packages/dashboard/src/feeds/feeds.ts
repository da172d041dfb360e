import { RefusedRequest } from '../http/exchange.js'
import type { DashboardSource } from '../source.js'
import { pointsOf } from '../shared/points.js'
import type { Update } from '../shared/payloads.js'
import { queryOf, type View } from '../shared/views.js'
import { fleetContent } from './fleet-content.js'
import { FleetFeed } from './fleet-feed.js'
import { LockFeeds, mostWatched } from './lock-feeds.js'
import { StoreContact, type SharedPoll } from './shared-poll.js'

/** A page that polls counts as open for so many of its intervals after a request, and at least for so long. */
const lingering = { intervals: 3, leastMs: 10_000 }

export interface FeedsOptions {
  readonly everyMs: number
  readonly isReadOnly: boolean
}

/** All that open pages show, read once for all of them. */
export class Feeds {
  readonly #fleet: FleetFeed
  readonly #locks: LockFeeds
  readonly #isReadOnly: boolean
  readonly #lingering = new Map<string, { readonly timer: NodeJS.Timeout; readonly leave: () => void }>()

  /** What ends each wait for a first poll. */
  readonly #reading = new Set<() => void>()

  constructor(source: DashboardSource, options: FeedsOptions) {
    const contact = new StoreContact()
    this.#fleet = new FleetFeed(source, options.everyMs, contact)
    this.#locks = new LockFeeds(source, options.everyMs, contact)
    this.#isReadOnly = options.isReadOnly
  }

  /** Whether one more page of this view can be opened. */
  hasRoom(view: View): boolean {
    return view.page !== 'lock' || this.#locks.hasRoom(view.object, view.name)
  }

  /** Throws if there is none. */
  requireRoom(view: View): void {
    if (this.hasRoom(view)) return
    throw new RefusedRequest(
      429,
      `${mostWatched} locks are being watched, which is the most at a time. Close pages of other locks, and try again a little later: a lock counts for some seconds after its last page.`,
    )
  }

  /**
   * Sends an update now if there is something to show, and after each poll, until the returned function is called. Ends if there is one
   * that cannot be made or sent.
   */
  open(view: View, send: (update: Update) => void, end: () => void): () => void {
    let sentUpTo = -Infinity
    const sendNext = (): void => {
      try {
        const update = this.#updateOf(view, sentUpTo)
        sentUpTo = pointsOf(update).at(-1)?.at ?? sentUpTo
        send(update)
      } catch {
        // Nothing may be thrown from a poll: it serves other pages, too.
        end()
      }
    }
    const poll = this.#pollOf(view)
    if (poll.reading.store.is !== 'starting') sendNext()
    return poll.listen(sendNext)
  }

  /** One update, for a page that asks again. The polls go on for a while after it. */
  async read(view: View, samplesAfter: number): Promise<Update> {
    this.requireRoom(view)
    const poll = this.#pollOf(view)
    this.#linger(view, poll)
    if (poll.reading.store.is === 'starting') {
      await new Promise<void>((resolve) => {
        const leave = poll.listen(() => end())
        const end = (): void => {
          leave()
          this.#reading.delete(end)
          resolve()
        }
        this.#reading.add(end)
      })
    }
    return this.#updateOf(view, samplesAfter)
  }

  close(): void {
    for (const { timer, leave } of this.#lingering.values()) {
      clearTimeout(timer)
      leave()
    }
    this.#lingering.clear()
    this.#fleet.poll.stop()
    this.#locks.stop()
    for (const end of [...this.#reading]) end()
  }

  #pollOf(view: View): Pick<SharedPoll<unknown>, 'reading' | 'listen'> {
    return view.page === 'lock' ? this.#locks.of(view.object, view.name) : this.#fleet.poll
  }

  #linger(view: View, poll: Pick<SharedPoll<unknown>, 'listen'>): void {
    const key = view.page === 'lock' ? String(queryOf(view)) : ''
    const before = this.#lingering.get(key)
    clearTimeout(before?.timer)
    const leave = before?.leave ?? poll.listen(() => undefined)
    const forMs = Math.max(lingering.leastMs, lingering.intervals * this.#everyMs(view))
    const timer = setTimeout(() => {
      this.#lingering.delete(key)
      leave()
    }, forMs)
    // This timer must not keep the process alive.
    timer.unref()
    this.#lingering.set(key, { timer, leave })
  }

  #everyMs(view: View): number {
    return view.page === 'lock' ? this.#locks.everyMs : this.#fleet.everyMs
  }

  #updateOf(view: View, samplesAfter: number): Update {
    const common = { at: Date.now(), everyMs: this.#everyMs(view), isReadOnly: this.#isReadOnly }
    if (view.page === 'lock') {
      const { value, ...state } = this.#locks.of(view.object, view.name).reading
      const content = value && { ...value, queueLengths: newer(value.queueLengths, samplesAfter) }
      return { ...common, ...state, totals: null, content, samples: [] }
    }
    const { value, ...state } = this.#fleet.poll.reading
    const content = value && fleetContent(view, value)
    const samples = view.page === 'overview' ? newer(this.#fleet.samples.all, samplesAfter) : []
    return { ...common, ...state, totals: value?.totals() ?? null, content, samples }
  }
}

const newer = <Point extends { readonly at: number }>(points: readonly Point[], at: number): Point[] =>
  points.filter((point) => point.at > at)
