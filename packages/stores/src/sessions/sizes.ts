import { UnavailableError, type EngineHost } from '@holdfast/core/engine'
import { idOf } from './address.js'
import type { Background } from './background.js'
import { standingOf } from './shared.js'
import type { Listing, Queue, QueueStore, Size } from './store.js'

const longestMs = 2 ** 31 - 1

export interface SizesDeps {
  readonly host: EngineHost
  readonly store: QueueStore
  readonly background: Background
}

/** A size that this client has seen. */
interface Seen {
  readonly id: string
  /** When it was not in force before, by the clock of the host. */
  readonly sinceMs: number
  timer?: NodeJS.Timeout
}

/**
 * Has sizes change in two steps, so that everyone knows who held before: a size is written with what was in force before, and from
 * then on nobody gets in; then with those that held by that. Whoever sees the first step alone does the second, and whoever sees that the
 * time of a size is up has each go by its own size again, in the same two steps.
 *
 * | What is listed                 | Who holds                                 | What follows                                            |
 * | ------------------------------ | ----------------------------------------- | ------------------------------------------------------- |
 * | no size                        | by the order and each one's own size      |                                                         |
 * | a size with `before`           | who held by that; nobody gets in          | at once: the same without `before`, with those holders  |
 * | a size                         | those holders, and by the order           | when its time is up: `null` with this one as `before`   |
 * | the size `null`                | those holders, and by own sizes           | when the queue is empty: no size                        |
 *
 * How long a size is in force each client measures by itself, from when it saw it first: never too short. The store's own measure ends those that nobody saw.
 */
export class Sizes {
  readonly #deps: SizesDeps
  readonly #seen = new Map<string, Seen>()

  constructor(deps: SizesDeps) {
    this.#deps = deps
  }

  /** A queue, as it is when the size that is listed is in force. */
  async list(queue: Queue, timeoutMs: number): Promise<Listing> {
    return this.settled(queue, await this.#deps.store.list(queue, timeoutMs), timeoutMs)
  }

  /**
   * The same for a queue that was listed.
   *
   * @throws `UnavailableError` when it changes for longer than `timeoutMs`
   */
  async settled(queue: Queue, listed: Listing, timeoutMs: number): Promise<Listing> {
    const { host, store } = this.#deps
    const startedAt = host.now()
    let listing = listed
    let isOver = false
    for (;;) {
      const { entries, size } = listing
      if (!size) {
        this.#forget(queue)
        return listing
      }
      const { version } = size
      if (size.before) {
        const holders = standingOf(listing).holders.map(({ key }) => key)
        await store.resize(queue, { ...size, holders, before: undefined }, version, timeoutMs)
      } else if (size.size === null) {
        // A store that cannot forget it now will at the next time: nobody goes by it.
        if (entries.length > 0 || isOver) return listing
        isOver = true
        await store.unsize(queue, version, timeoutMs)
      } else if (size.isOver || this.#see(queue, size).sinceMs + size.keepMs <= host.now()) {
        const over = { size: null, id: `${size.id} over`, keepMs: 0, holders: [], before: size }
        await store.resize(queue, over, version, timeoutMs)
      } else {
        return listing
      }
      if (host.now() - startedAt > timeoutMs) {
        throw new UnavailableError(
          `${store.name}: the size of ${queue.name} changes faster than it can be read`,
        )
      }
      listing = await store.list(queue, timeoutMs)
    }
  }

  /** This client is about to set it. */
  begins(queue: Queue, size: Pick<Size, 'id'>): void {
    this.#see(queue, size)
  }

  /** Has the size end when its time is up. */
  watchEnd(queue: Queue, size: Size | undefined): void {
    if (typeof size?.size !== 'number') return
    const { host, background } = this.#deps
    const seen = this.#see(queue, size)
    if (seen.timer) return
    const leftMs = seen.sinceMs + size.keepMs - host.now()
    const end = (): void =>
      background.repeat(
        () => this.list(queue, host.commandTimeoutMs),
        () => this.#seen.get(idOf(queue)) === seen,
      )
    seen.timer = setTimeout(end, Math.min(longestMs, Math.max(0, Math.ceil(leftMs)) + 1))
    seen.timer.unref()
  }

  close(): void {
    for (const { timer } of this.#seen.values()) clearTimeout(timer)
    this.#seen.clear()
  }

  #see(queue: Queue, { id }: Pick<Size, 'id'>): Seen {
    const known = this.#seen.get(idOf(queue))
    if (known?.id === id) return known
    this.#forget(queue)
    const seen: Seen = { id, sinceMs: this.#deps.host.now() }
    this.#seen.set(idOf(queue), seen)
    return seen
  }

  #forget(queue: Queue): void {
    const id = idOf(queue)
    clearTimeout(this.#seen.get(id)?.timer)
    this.#seen.delete(id)
  }
}
