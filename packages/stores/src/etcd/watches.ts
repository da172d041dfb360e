import { backoffMs } from '@holdfast/core/engine'
import type { MessageStream, MessageStreamEvents } from './client/connection.js'
import { Message } from './wire/protobuf.js'
import { cancelOf, createOf, watchMessageOf, type WatchEvent, type WatchRange } from './wire/watch.js'

/** `lost`: the watch has ended and may have missed events: the store has compacted them, was restored from a backup, or refuses the watch. */
export type WatchReport = WatchEvent | 'lost'

interface Watch {
  readonly range: WatchRange
  /** The next revision to report. */
  from: number
  readonly report: (what: WatchReport) => void
  /** Reads what may have happened between `from` and the start of the watch. Left out: the watch starts at `from`, in the past. */
  readonly catchUp?: (() => void) | undefined
}

export interface WatchesDeps {
  /** `null`: there is no connection. */
  open(events: MessageStreamEvents): MessageStream | null
  /** The store refuses a watch. */
  refused(reason: string): void
}

/**
 * All watches of one client, on one stream.
 *
 * They outlive connections: each is made again from the revision after the last one that it reported, so nothing is missed.
 *
 * etcd delivers to a watch that starts in the past in rounds of 100 ms until it has caught up (`syncWatchersLoop` in its
 * `watchable_store.go`). Watches with `catchUp` therefore start in the present.
 */
export class Watches {
  readonly #deps: WatchesDeps
  readonly #watches = new Map<number, Watch>()
  #stream: MessageStream | null = null
  #lastId = 0
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(deps: WatchesDeps) {
    this.#deps = deps
  }

  /**
   * Reports what happens to a key, or to a range of them, until it is told to stop. Never before it returns.
   *
   * @param from - the first revision to report: the one after that at which the state is known
   * @param catchUp - called if the store was at another revision when the watch started: events in between are not reported
   * @returns stops it
   */
  add(
    range: WatchRange,
    from: number,
    report: (what: WatchReport) => void,
    catchUp?: () => void,
  ): () => void {
    this.#lastId += 1
    const id = this.#lastId
    const watch = { range, from, report, catchUp }
    this.#watches.set(id, watch)
    this.#stream ??= this.#open()
    this.#begin(id, watch)
    return () => {
      if (this.#watches.delete(id)) this.#stream?.send(cancelOf(id))
    }
  }

  /** Makes all of them again, on a stream of the present connection. */
  restart(): void {
    clearTimeout(this.#timer)
    this.#stream?.close()
    this.#stream = this.#open()
    for (const [id, watch] of this.#watches) this.#begin(id, watch)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#watches.clear()
    this.#stream?.close()
    this.#stream = null
  }

  #begin(id: number, { range, from, catchUp }: Watch): void {
    this.#stream?.send(createOf(id, range, catchUp ? 0 : from))
  }

  /** A server whose revision is below `from` was restored from a backup and will write those revisions anew, or it lags behind. */
  #begun(id: number, watch: Watch, revision: number): void {
    const next = revision + 1
    if (watch.catchUp && next !== watch.from) {
      watch.from = next
      watch.catchUp()
    } else if (next < watch.from) {
      this.#stream?.send(cancelOf(id))
      this.#lose(id, watch)
    }
  }

  #lose(id: number, watch: Watch): void {
    this.#watches.delete(id)
    watch.report('lost')
  }

  #open(): MessageStream | null {
    const stream: MessageStream | null = this.#deps.open({
      message: (bytes) => this.#onMessage(bytes),
      ended: () => {
        if (stream === this.#stream) this.#restartSoon()
      },
    })
    return stream
  }

  /** A server without a leader ends the stream and keeps the connection. If that is gone, its successor restarts it. */
  #restartSoon(): void {
    this.#stream = null
    this.#failures += 1
    this.#timer = setTimeout(
      () => this.restart(),
      backoffMs(this.#failures, { firstMs: 50, longestMs: 1_000 }),
    )
    this.#timer.unref()
  }

  #onMessage(bytes: Buffer): void {
    const message = watchMessageOf(new Message(bytes))
    const { id, isCreated, isCanceled, compactedAt, reason, revision, events } = message
    this.#failures = 0
    const watch = this.#watches.get(id)
    if (!watch) return
    if (isCanceled) {
      if (compactedAt === 0) this.#deps.refused(reason)
      this.#lose(id, watch)
      return
    }
    if (isCreated) this.#begun(id, watch, revision)
    for (const event of events) {
      // It may have been stopped by what it reported.
      if (this.#watches.get(id) === watch) watch.report(event)
    }
    if (events.length > 0) watch.from = Math.max(watch.from, revision + 1)
  }
}
