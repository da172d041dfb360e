import type { ClientInfo } from '@holdfast/core/engine'
import type { Entry, EntryNote, Listing, NewSize, Queue, Size } from '@holdfast/stores/sessions'
import { MemoryLatches } from './memory-latches.js'

/** The session of a request is over. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError'
}

interface StoredEntry {
  entry: Entry
  note: EntryNote
  isMarked: boolean
  writtenAt: number
}

interface Session {
  readonly id: string
  readonly sessionMs: number
  untilMs: number
  clientId: string
  info: ClientInfo | undefined
  tell: (event: StoreEvent) => void
  /** How far what it reads lies behind what was written, milliseconds. */
  lagMs: number
  /** It has written then, or seen what was written until then: it never reads an earlier state. */
  seenAtMs: number
}

export type StoreEvent =
  | { readonly kind: 'evicted'; readonly owner: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fired'; readonly callback: () => void }

interface Watch {
  readonly session: string
  readonly callback: () => void
}

interface Version {
  readonly atMs: number
  readonly listing: Listing
}

class MemoryQueue {
  readonly stored: StoredEntry[] = []
  /** What was listed from these instants on, in their order. Kept while a session lags. */
  past: Version[] = []
  size: (Omit<Size, 'isOver'> & { readonly untilMs: number }) | undefined
  readonly onChange = new Set<Watch>()
  readonly onResize = new Set<Watch>()
}

/** A store of sessions and queues, in memory: what a server would do, at once. */
export class MemoryQueues {
  commands = 0
  readonly latches = new MemoryLatches()
  readonly #sessions = new Map<string, Session>()
  readonly #queues = new Map<string, MemoryQueue>()
  readonly #onGone = new Map<string, Set<Watch>>()
  readonly #onMark = new Map<string, Set<Watch>>()
  #count = 0

  begin(sessionMs: number, tell: Session['tell']): string {
    const id = `s${++this.#count}`
    const untilMs = performance.now() + sessionMs
    const session = { id, sessionMs, untilMs, clientId: '', info: undefined, tell }
    this.#sessions.set(id, { ...session, lagMs: 0, seenAtMs: performance.now() })
    return id
  }

  /** Every request of a session begins with this, and so it goes on. */
  prove(id: string): Session {
    this.#sweep()
    const session = this.#sessions.get(id)
    if (!session) throw new SessionOverError(id)
    session.untilMs = performance.now() + session.sessionMs
    return session
  }

  end(id: string): void {
    this.#sessions.delete(id)
    this.latches.end(id)
    for (const { stored } of this.#queues.values()) {
      for (const { entry } of [...stored]) if (entry.session === id) this.remove(entry)
    }
  }

  /** The server of this client's session is so far behind the others: it reads late, and is told late. 0: it has caught up. */
  lag(clientId: string, lagMs: number): void {
    const session = this.#sessionOf(clientId)
    if (!session) return
    session.lagMs = lagMs
    for (const queue of this.#queues.values()) this.#remember(queue)
  }

  /** What this session reads from now on is no older than now. */
  catchUp(id: string): void {
    const session = this.#sessions.get(id)
    if (session) session.seenAtMs = performance.now()
  }

  /** The session of this client, if any, is over. */
  expire(clientId: string): void {
    const session = this.#sessionOf(clientId)
    if (session) this.end(session.id)
  }

  announce(id: string, clientId: string, info: ClientInfo): void {
    const session = this.prove(id)
    session.clientId = clientId
    session.info = info
  }

  client(clientId: string): ClientInfo | null {
    return this.#sessionOf(clientId)?.info ?? null
  }

  enter(session: string, queue: Queue, wanted: Pick<Entry, 'owner' | 'permits' | 'size'>, note: EntryNote) {
    const token = ++this.#count
    const { owner, permits, size } = wanted
    const entry = { queue, owner, session, key: `${owner}~${token}`, permits, size, token }
    this.#at(queue).stored.push({ entry, note, isMarked: false, writtenAt: performance.now() })
    this.#changed(queue)
    return entry
  }

  /** As the session sees it, or as it is. */
  list(queue: Queue, id = ''): Listing {
    this.#sweep()
    const at = this.#at(queue)
    const session = this.#sessions.get(id)
    if (!session || session.lagMs === 0) return listingOf(at)
    session.seenAtMs = Math.max(session.seenAtMs, performance.now() - session.lagMs)
    return at.past.filter(({ atMs }) => atMs <= session.seenAtMs).at(-1)?.listing ?? listingOf(at)
  }

  find(session: string, queue: Queue, owner: string): Entry | null {
    this.#sweep()
    const { entries } = listingOf(this.#at(queue))
    return entries.find((entry) => entry.owner === owner && entry.session === session) ?? null
  }

  get({ queue, key }: Entry): StoredEntry | undefined {
    this.#sweep()
    return this.#at(queue).stored.find(({ entry }) => entry.key === key)
  }

  mark(entry: Entry): number | null {
    const found = this.get(entry)
    if (found) found.isMarked = true
    this.#fire(this.#onMark, entry.key)
    return found ? ++this.#count : null
  }

  shrink(entry: Entry, permits: number): Entry | null {
    const found = this.get(entry)
    if (!found) return null
    found.entry = { ...found.entry, permits }
    this.mark(entry)
    this.#changed(entry.queue)
    return found.entry
  }

  remove({ queue, key }: Entry): boolean {
    const { stored } = this.#at(queue)
    const at = stored.findIndex(({ entry }) => entry.key === key)
    if (at < 0) return false
    stored.splice(at, 1)
    this.#fire(this.#onGone, key)
    this.#fire(this.#onMark, key)
    this.#changed(queue)
    return true
  }

  resize(queue: Queue, wanted: NewSize, version: number): boolean {
    const at = this.#at(queue)
    if ((at.size?.version ?? 0) !== version) return false
    const untilMs = wanted.size === null ? Infinity : performance.now() + wanted.keepMs
    const isSame = at.size?.id === wanted.id
    at.size = { ...wanted, version: ++this.#count, untilMs: isSame && at.size ? at.size.untilMs : untilMs }
    this.#resized(queue)
    return true
  }

  unsize(queue: Queue, version: number): void {
    const at = this.#at(queue)
    if (at.size?.version !== version || at.stored.length > 0) return
    at.size = undefined
    this.#resized(queue)
  }

  watchGone(entry: Entry, watch: Watch): boolean {
    return this.#watch(this.get(entry) !== undefined, this.#onGone, entry, watch)
  }

  watchMark(entry: Entry, watch: Watch): boolean {
    return this.#watch(this.get(entry)?.isMarked === false, this.#onMark, entry, watch)
  }

  watchQueue(queue: Queue, watch: Watch): void {
    this.#at(queue).onChange.add(watch)
  }

  watchSize(queue: Queue, watch: Watch): void {
    this.#at(queue).onResize.add(watch)
  }

  tell(clientId: string, event: StoreEvent): boolean {
    const session = this.#sessionOf(clientId)
    session?.tell(event)
    return session !== undefined
  }

  leftMs(session: string): number {
    return (this.#sessions.get(session)?.untilMs ?? 0) - performance.now()
  }

  /** Those of all queues. */
  entries(): readonly Entry[] {
    this.#sweep()
    return [...this.#queues.values()].flatMap(({ stored }) => stored.map(({ entry }) => entry))
  }

  wipe(): void {
    for (const { stored } of this.#queues.values()) for (const { entry } of [...stored]) this.remove(entry)
    this.#queues.clear()
    this.latches.wipe()
  }

  #at(queue: Queue): MemoryQueue {
    const id = `${queue.object}:${queue.name}`
    const found = this.#queues.get(id) ?? new MemoryQueue()
    this.#queues.set(id, found)
    return found
  }

  #changed(queue: Queue): void {
    const at = this.#at(queue)
    this.#remember(at)
    this.#fireAll(at.onChange)
  }

  #resized(queue: Queue): void {
    this.#fireAll(this.#at(queue).onResize)
    this.#changed(queue)
  }

  #remember(queue: MemoryQueue): void {
    const isNeeded = [...this.#sessions.values()].some(({ lagMs }) => lagMs > 0)
    if (isNeeded) queue.past.push({ atMs: performance.now(), listing: listingOf(queue) })
    else queue.past = []
  }

  /** @returns whether it calls back later */
  #watch(isThere: boolean, watches: Map<string, Set<Watch>>, { key }: Entry, watch: Watch): boolean {
    if (isThere) {
      const there = watches.get(key) ?? new Set()
      watches.set(key, there.add(watch))
      return true
    }
    if (!this.#sessions.get(watch.session)?.lagMs) return false
    this.#call(watch)
    return true
  }

  #fire(watches: Map<string, Set<Watch>>, key: string): void {
    const there = watches.get(key)
    watches.delete(key)
    for (const watch of there ?? []) this.#call(watch)
  }

  #fireAll(watches: Set<Watch>): void {
    const there = [...watches]
    watches.clear()
    for (const watch of there) this.#call(watch)
  }

  #call({ session, callback }: Watch): void {
    const lagMs = this.#sessions.get(session)?.lagMs ?? 0
    if (lagMs > 0) setTimeout(callback, lagMs)
    else callback()
  }

  #sessionOf(clientId: string): Session | undefined {
    this.#sweep()
    return [...this.#sessions.values()].find((session) => session.clientId === clientId)
  }

  #sweep(): void {
    for (const { id, untilMs } of [...this.#sessions.values()]) if (untilMs <= performance.now()) this.end(id)
  }
}

function listingOf({ stored, size }: MemoryQueue): Listing {
  const isOver = size !== undefined && size.untilMs <= performance.now()
  return { entries: stored.map(({ entry }) => entry), size: size && { ...size, isOver } }
}
