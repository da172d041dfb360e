import type { ClientInfo } from '@holdfast/core/engine'
import type { Entry, EntryNote, Listing, NewSize, Queue, Size } from '@holdfast/session-queue'

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
}

export type StoreEvent =
  | { readonly kind: 'evicted'; readonly owner: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fired'; readonly callback: () => void }

interface Watch {
  readonly session: string
  readonly callback: () => void
}

class MemoryQueue {
  readonly stored: StoredEntry[] = []
  size: (Omit<Size, 'isOver'> & { readonly untilMs: number }) | undefined
  readonly onChange = new Set<Watch>()
  readonly onResize = new Set<Watch>()
}

/** A store of sessions and queues, in memory: what a server would do, at once. */
export class MemoryQueues {
  commands = 0
  readonly #sessions = new Map<string, Session>()
  readonly #queues = new Map<string, MemoryQueue>()
  readonly #onGone = new Map<string, Set<Watch>>()
  readonly #onMark = new Map<string, Set<Watch>>()
  #count = 0

  begin(sessionMs: number, tell: Session['tell']): string {
    const id = `s${++this.#count}`
    const untilMs = performance.now() + sessionMs
    this.#sessions.set(id, { id, sessionMs, untilMs, clientId: '', info: undefined, tell })
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
    for (const { stored } of this.#queues.values()) {
      for (const { entry } of [...stored]) if (entry.session === id) this.remove(entry)
    }
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

  list(queue: Queue): Listing {
    this.#sweep()
    const { stored, size } = this.#at(queue)
    const isOver = size !== undefined && size.untilMs <= performance.now()
    return { entries: stored.map(({ entry }) => entry), size: size && { ...size, isOver } }
  }

  find(session: string, queue: Queue, owner: string): Entry | null {
    const { entries } = this.list(queue)
    return entries.find((entry) => entry.owner === owner && entry.session === session) ?? null
  }

  get({ queue, key }: Entry): StoredEntry | undefined {
    this.#sweep()
    return this.#at(queue).stored.find(({ entry }) => entry.key === key)
  }

  mark(entry: Entry): number | null {
    const found = this.get(entry)
    if (found) found.isMarked = true
    fire(this.#onMark, entry.key)
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
    fire(this.#onGone, key)
    fire(this.#onMark, key)
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
    return this.get(entry) !== undefined && addTo(this.#onGone, entry.key, watch)
  }

  watchMark(entry: Entry, watch: Watch): boolean {
    return this.get(entry)?.isMarked === false && addTo(this.#onMark, entry.key, watch)
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
  }

  #at(queue: Queue): MemoryQueue {
    const id = `${queue.object}:${queue.name}`
    const found = this.#queues.get(id) ?? new MemoryQueue()
    this.#queues.set(id, found)
    return found
  }

  #changed(queue: Queue): void {
    fireAll(this.#at(queue).onChange)
  }

  #resized(queue: Queue): void {
    fireAll(this.#at(queue).onResize)
    this.#changed(queue)
  }

  #sessionOf(clientId: string): Session | undefined {
    this.#sweep()
    return [...this.#sessions.values()].find((session) => session.clientId === clientId)
  }

  #sweep(): void {
    for (const { id, untilMs } of [...this.#sessions.values()]) if (untilMs <= performance.now()) this.end(id)
  }
}

function addTo(watches: Map<string, Set<Watch>>, key: string, watch: Watch): true {
  const there = watches.get(key) ?? new Set()
  watches.set(key, there.add(watch))
  return true
}

function fireAll(watches: Set<Watch>): void {
  const there = [...watches]
  watches.clear()
  for (const { callback } of there) callback()
}

function fire(watches: Map<string, Set<Watch>>, key: string): void {
  const there = watches.get(key)
  watches.delete(key)
  for (const { callback } of there ?? []) callback()
}
