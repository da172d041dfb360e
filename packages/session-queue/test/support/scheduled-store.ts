import { UnavailableError } from '@holdfast/core/engine'
import type {
  Entry,
  EntryNote,
  NewEntry,
  NewSize,
  Queue,
  QueueStore,
  StoreEvents,
} from '@holdfast/session-queue'
import { SessionOverError, type MemoryQueues, type StoreEvent } from '@holdfast/sim/stores'
import type { Line, Scheduler } from './scheduler.js'

/**
 * One client's connection to the store in memory, where it is chosen when a request is carried out and when its reply comes. Requests are
 * carried out in order; replies and events come in order, or each in its own time.
 */
export class ScheduledStore implements QueueStore {
  readonly name = 'scheduled queues'
  readonly connectionEpoch = 0
  readonly isUp = true
  readonly sessionMs = 1_000_000
  readonly marginMs = 0
  session: string
  /** The session is over, and the client has not learned it yet. */
  isCutOff = false
  provenAt = 0
  readonly #queues: MemoryQueues
  readonly #scheduler: Scheduler
  readonly #events: StoreEvents
  readonly #requests: Line
  readonly #replies: Line | undefined
  readonly #watched = new Set<() => void>()

  constructor(queues: MemoryQueues, scheduler: Scheduler, isOrdered: boolean, events: StoreEvents) {
    this.#queues = queues
    this.#scheduler = scheduler
    this.#events = events
    this.#requests = scheduler.line()
    this.#replies = isOrdered ? scheduler.line() : undefined
    this.session = this.#begin()
  }

  connect = (): Promise<void> => Promise.resolve()
  close = (): Promise<void> => Promise.resolve()
  announce = (): Promise<void> => Promise.resolve()
  client = () => Promise.resolve(null)

  /** The store ends the session: its entries go, and the client learns of it later. */
  end(): void {
    const { session } = this
    this.isCutOff = true
    this.#queues.end(session)
    this.#later(() => this.#ended(session))
  }

  enter(queue: Queue, { owner, permits, size, note }: NewEntry) {
    return this.#call((session) => {
      const own = this.#queues.enter(session, queue, { owner, permits, size }, note)
      return { own, listing: this.#queues.list(queue) }
    })
  }

  list = (queue: Queue) => this.#call(() => this.#queues.list(queue))
  find = (queue: Queue, owner: string) => this.#call((session) => this.#queues.find(session, queue, owner))
  update = (entry: Entry, _note: EntryNote) => this.#call(() => this.#queues.get(entry) !== undefined)
  mark = (entry: Entry) => this.#call(() => this.#queues.mark(entry))
  shrink = (entry: Entry, permits: number) => this.#call(() => this.#queues.shrink(entry, permits))
  remove = (entry: Entry) => this.#call(() => this.#queues.remove(entry))
  evict = (entry: Entry) => this.#call(() => this.#queues.remove(entry))
  look = () => Promise.resolve(null)
  prove = (entries: readonly Entry[]) =>
    this.#call(() => entries.map((entry) => this.#queues.get(entry) !== undefined))
  resize = (queue: Queue, size: NewSize, version: number) =>
    this.#call(() => this.#queues.resize(queue, size, version))
  unsize = (queue: Queue, version: number) => this.#call(() => this.#queues.unsize(queue, version))

  whenGone(entry: Entry, callback: () => void) {
    return this.#watch(callback, (watch) => this.#queues.watchGone(entry, watch))
  }

  whenMarked(entry: Entry, callback: () => void) {
    return this.#watch(callback, (watch) => this.#queues.watchMark(entry, watch))
  }

  whenChanged = (queue: Queue, callback: () => void) =>
    this.#listed(queue, callback, (watch) => this.#queues.watchQueue(queue, watch))

  whenResized = (queue: Queue, callback: () => void) =>
    this.#listed(queue, callback, (watch) => this.#queues.watchSize(queue, watch))

  #listed(queue: Queue, callback: () => void, register: (watch: Watch) => void) {
    const { once, stop } = this.#once(callback)
    return this.#call((session) => {
      register({ session, callback: () => this.#later(once) })
      return { listing: this.#queues.list(queue), stop }
    })
  }

  async #watch(callback: () => void, register: (watch: Watch) => boolean): Promise<() => void> {
    const { once, stop } = this.#once(callback)
    const isWatched = await this.#call((session) => register({ session, callback: () => this.#later(once) }))
    if (!isWatched) queueMicrotask(once)
    return stop
  }

  #once(callback: () => void) {
    const stop = (): boolean => this.#watched.delete(once)
    const once = (): void => {
      if (stop()) callback()
    }
    this.#watched.add(once)
    return { once, stop }
  }

  #call<T>(step: (session: string) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const { session } = this
      this.#requests.add(() => {
        try {
          this.#queues.prove(session)
          const result = step(session)
          this.#later(() => resolve(result))
        } catch (error) {
          if (!(error instanceof SessionOverError)) throw error
          this.#later(() => {
            this.#ended(session)
            reject(new UnavailableError('the session is over'))
          })
        }
      })
    })
  }

  #later(run: () => void): void {
    const line = this.#replies ?? this.#scheduler.line()
    line.add(run)
  }

  #ended(session: string): void {
    if (session !== this.session) return
    this.isCutOff = false
    this.session = ''
    this.#events.ended(session)
    this.session = this.#begin()
    for (const once of [...this.#watched]) once()
    this.#events.connected()
  }

  #begin(): string {
    return this.#queues.begin(this.sessionMs, (event: StoreEvent) => {
      if (event.kind === 'evicted') this.#later(() => this.#events.evicted(event.owner))
    })
  }
}

interface Watch {
  readonly session: string
  readonly callback: () => void
}
