import type { InProcessLink } from '@holdfast/conformance'
import { ClosedError, UnavailableError, type EngineHost, type Traits } from '@holdfast/core/engine'
import type {
  Entry,
  EntryNote,
  NewEntry,
  NewSize,
  Queue,
  QueueStore,
  StoreEvents,
} from '@holdfast/stores/sessions'
import { LinkedLatches } from './memory-latches.js'
import type { MemoryQueues, StoreEvent } from './memory-queues.js'

/** What a request counts as: one whose reply may be lost, one that only registers a watch, one that only reads, or none about locks. */
type Cost = 'one' | 'watch' | 'read' | 'free'

/** What the engine promises on it. */
export const queueTraits: Traits = {
  fifo: true,
  handOff: 'grant',
  lease: { of: 'session', stepMs: 1, shortestMs: 100, marginMs: 20 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsPerCycle: { uncontended: 2, contended: 4 },
  kinds: ['shared', 'latch'],
}

/** One client's connection to the store in memory, over a link that can be broken. */
export class MemoryStore implements QueueStore {
  readonly name = 'memory queues'
  session = ''
  provenAt = -Infinity
  readonly sessionMs: number
  readonly marginMs = queueTraits.lease.marginMs
  readonly latches: LinkedLatches
  readonly #queues: MemoryQueues
  readonly #link: InProcessLink
  readonly #host: EngineHost
  readonly #events: StoreEvents
  readonly #watched = new Set<() => void>()
  #isClosed = false

  constructor(queues: MemoryQueues, link: InProcessLink, host: EngineHost, events: StoreEvents) {
    this.#queues = queues
    this.#link = link
    this.#host = host
    this.#events = events
    this.sessionMs = host.watchdogTimeoutMs
    this.latches = new LinkedLatches(
      queues.latches,
      host.clientId,
      (timeoutMs, step) => this.#call(timeoutMs, step),
      (timeoutMs, callback, register) => this.#watchLatch(timeoutMs, callback, register),
    )
    link.onBreak = () => this.#onBreak()
  }

  get connectionEpoch(): number {
    return this.#link.breaks
  }

  get isUp(): boolean {
    return this.session !== ''
  }

  connect(timeoutMs: number): Promise<void> {
    return this.#call(timeoutMs, () => undefined, 'free')
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#queues.end(this.session)
    return Promise.resolve()
  }

  enter(queue: Queue, { owner, permits, size, note }: NewEntry, timeoutMs: number) {
    return this.#call(timeoutMs, (session) => {
      const own = this.#queues.enter(session, queue, { owner, permits, size }, note)
      return { own, listing: this.#queues.list(queue, session) }
    })
  }

  list(queue: Queue, timeoutMs: number) {
    return this.#call(timeoutMs, (session) => this.#queues.list(queue, session), 'read')
  }

  find(queue: Queue, owner: string, timeoutMs: number) {
    return this.#call(timeoutMs, (session) => this.#queues.find(session, queue, owner))
  }

  update(entry: Entry, note: EntryNote, timeoutMs: number) {
    return this.#call(timeoutMs, () => {
      const found = this.#queues.get(entry)
      if (found) Object.assign(found, { note, writtenAt: performance.now() })
      return found !== undefined
    })
  }

  mark(entry: Entry, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.mark(entry))
  }

  shrink(entry: Entry, permits: number, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.shrink(entry, permits))
  }

  remove(entry: Entry, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.remove(entry))
  }

  evict(entry: Entry, timeoutMs: number) {
    return this.#call(timeoutMs, () => {
      const { owner } = entry
      const wasThere = this.#queues.remove(entry)
      if (wasThere) this.#queues.tell(owner.slice(0, owner.lastIndexOf(':')), { kind: 'evicted', owner })
      return wasThere
    })
  }

  async whenGone(entry: Entry, callback: () => void, timeoutMs: number) {
    const { stop } = await this.#watch(timeoutMs, callback, (watch) => this.#queues.watchGone(entry, watch))
    return stop
  }

  async whenMarked(entry: Entry, callback: () => void, timeoutMs: number) {
    const { stop } = await this.#watch(timeoutMs, callback, (watch) => this.#queues.watchMark(entry, watch))
    return stop
  }

  async whenChanged(queue: Queue, callback: () => void, timeoutMs: number) {
    const { result: listing, stop } = await this.#watch(timeoutMs, callback, (watch) => {
      this.#queues.watchQueue(queue, watch)
      return this.#queues.list(queue, watch.session)
    })
    return { listing, stop }
  }

  async whenResized(queue: Queue, callback: () => void, timeoutMs: number) {
    const { result: listing, stop } = await this.#watch(timeoutMs, callback, (watch) => {
      this.#queues.watchSize(queue, watch)
      return this.#queues.list(queue, watch.session)
    })
    return { listing, stop }
  }

  prove(entries: readonly Entry[], timeoutMs: number) {
    const areThere = (): boolean[] => entries.map((entry) => this.#queues.get(entry) !== undefined)
    return this.#call(timeoutMs, areThere, entries.length === 0 ? 'free' : 'one')
  }

  look(entry: Entry, timeoutMs: number) {
    return this.#call(timeoutMs, () => {
      const found = this.#queues.get(entry)
      if (!found) return null
      const { note, writtenAt } = found
      const leftMs = this.#queues.leftMs(entry.session)
      return { note, token: entry.token, leftMs, ageMs: performance.now() - writtenAt }
    })
  }

  resize(queue: Queue, size: NewSize, version: number, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.resize(queue, size, version))
  }

  unsize(queue: Queue, version: number, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.unsize(queue, version))
  }

  announce(timeoutMs: number) {
    const { clientId, client } = this.#host
    return this.#call(timeoutMs, (session) => this.#queues.announce(session, clientId, client), 'free')
  }

  client(clientId: string, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#queues.client(clientId), 'free')
  }

  /** @param register - `false`: there is nothing to be watched any more */
  async #watch<T>(
    timeoutMs: number,
    callback: () => void,
    register: (watch: { session: string; callback: () => void }) => T,
  ): Promise<{ readonly result: T; readonly stop: () => void }> {
    const stop = (): boolean => this.#watched.delete(once)
    const once = (): void => {
      if (stop()) callback()
    }
    const told = (): void => this.#later(once)
    this.#watched.add(once)
    const result = await this.#call(timeoutMs, (session) => register({ session, callback: told }), 'watch')
    if (result === false) queueMicrotask(once)
    return { result, stop }
  }

  async #watchLatch(
    timeoutMs: number,
    callback: () => void,
    register: (callback: () => void) => void,
  ): Promise<() => void> {
    const { stop } = await this.#watch(timeoutMs, callback, (watch) => {
      register(watch.callback)
    })
    return stop
  }

  async #call<T>(timeoutMs: number, step: (session: string) => T, cost: Cost = 'one'): Promise<T> {
    if (this.#isClosed) throw new ClosedError('closed')
    const sentAt = this.#host.now()
    const outcome = await this.#link.call(
      timeoutMs,
      () => Promise.resolve(this.#carryOut(step, cost)),
      cost === 'one' || cost === 'watch',
    )
    const { session } = outcome
    if (!('result' in outcome)) {
      this.#end(session)
      throw new UnavailableError('the session is over')
    }
    if (session === this.session) this.provenAt = Math.max(this.provenAt, sentAt)
    return outcome.result
  }

  /** At the store. Without a result the session is over. */
  #carryOut<T>(
    step: (session: string) => T,
    cost: Cost,
  ): { readonly session: string; readonly result: T } | { readonly session: string } {
    if (this.session === '') this.#begin()
    const { session } = this
    try {
      this.#queues.prove(session)
      if (cost === 'one') this.#queues.catchUp(session)
      const result = step(session)
      if (cost !== 'free') this.#queues.commands += 1
      return { session, result }
    } catch (error) {
      // Thrown in the process of the store, which has a class of its own.
      if (error instanceof Error && error.name === 'SessionOverError') return { session }
      throw error
    }
  }

  #begin(): void {
    this.session = this.#queues.begin(this.sessionMs, (event) => this.#onEvent(event))
    this.#events.connected()
  }

  #end(session: string): void {
    if (session !== this.session) return
    this.session = ''
    this.provenAt = -Infinity
    this.#events.ended(session)
    this.#fireAll()
    this.connect(this.#host.commandTimeoutMs).catch(() => undefined)
  }

  #onBreak(): void {
    if (this.#isClosed) return
    this.#events.broken()
    setImmediate(() => {
      this.#events.connected()
      this.#fireAll()
    })
  }

  #onEvent(event: StoreEvent): void {
    this.#later(() => {
      if (event.kind === 'evicted') this.#events.evicted(event.owner)
      if (event.kind === 'text') this.#events.message(event.text)
    })
  }

  /** What is on its way is lost when the connection breaks. */
  #later(arrive: () => void): void {
    const { breaks } = this.#link
    void this.#link.arrival('toClient', 'notifications').then(() => {
      if (breaks === this.#link.breaks && !this.#isClosed) arrive()
    })
  }

  /** What happened in between cannot be told. */
  #fireAll(): void {
    for (const once of [...this.#watched]) once()
  }
}
