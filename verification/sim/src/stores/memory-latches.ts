import type { LatchNames, LatchStore, NewLatch, StoredLatch } from '@holdfast/stores/sessions'

interface KeptLatch {
  readonly text: string
  readonly version: number
  readonly keepMs: number
  untilMs: number
}

/** A store of latches, in memory: what a server would do, at once. */
export class MemoryLatches {
  readonly #latches = new Map<string, KeptLatch>()
  /** The parties of each round of a latch. */
  readonly #parties = new Map<string, Set<string>>()
  /** Who waits for a latch, in which session. */
  readonly #waiters = new Map<string, Map<string, string>>()
  readonly #watches = new Map<string, Set<() => void>>()
  #versions = 0

  read(name: string): StoredLatch | null {
    const latch = this.#latches.get(name)
    if (!latch) return null
    if (latch.untilMs > performance.now()) return { text: latch.text, version: latch.version }
    this.#forget(name)
    return null
  }

  watch(name: string, callback: () => void): void {
    const watches = this.#watches.get(name) ?? new Set()
    this.#watches.set(name, watches.add(callback))
  }

  write(name: string, read: StoredLatch | null, { text, keepMs }: NewLatch): boolean {
    if (this.read(name)?.version !== read?.version) return false
    const untilMs = performance.now() + keepMs
    this.#latches.set(name, { text, version: ++this.#versions, keepMs, untilMs })
    this.#changed(name)
    return true
  }

  count(name: string, { version }: StoredLatch, round: string, party: string): number | null {
    if (this.read(name)?.version !== version) return null
    const key = `${round} ${name}`
    const parties = this.#parties.get(key) ?? new Set()
    this.#parties.set(key, parties.add(party))
    return parties.size
  }

  parties(name: string, round: string, limit: number): LatchNames {
    return namesOf([...(this.#parties.get(`${round} ${name}`) ?? [])], limit)
  }

  keep(name: string, { version }: StoredLatch): void {
    const latch = this.#latches.get(name)
    if (latch?.version === version) latch.untilMs = performance.now() + latch.keepMs
  }

  leftMs(name: string, { version }: StoredLatch): number {
    const latch = this.#latches.get(name)
    return latch?.version === version ? Math.max(0, latch.untilMs - performance.now()) : 0
  }

  attend(name: string, clientId: string, session: string | null): void {
    const waiters = this.#waiters.get(name) ?? new Map<string, string>()
    if (session === null) waiters.delete(clientId)
    else waiters.set(clientId, session)
    this.#waiters.set(name, waiters)
  }

  waiters(name: string, limit: number): LatchNames {
    return namesOf([...(this.#waiters.get(name)?.keys() ?? [])], limit)
  }

  /** A session is over, and with it what it waits for. */
  end(session: string): void {
    for (const waiters of this.#waiters.values()) {
      for (const [clientId, of] of [...waiters]) if (of === session) waiters.delete(clientId)
    }
  }

  /** Those that clients are shown to wait for. */
  awaited(): readonly string[] {
    return [...this.#waiters].flatMap(([name, { size }]) => (size > 0 ? [name] : []))
  }

  wipe(): void {
    for (const name of [...this.#latches.keys()]) this.#forget(name)
    this.#parties.clear()
    this.#waiters.clear()
  }

  #forget(name: string): void {
    this.#latches.delete(name)
    for (const key of [...this.#parties.keys()]) if (key.endsWith(` ${name}`)) this.#parties.delete(key)
    this.#changed(name)
  }

  #changed(name: string): void {
    const watches = [...(this.#watches.get(name) ?? [])]
    this.#watches.delete(name)
    for (const callback of watches) callback()
  }
}

const namesOf = (names: readonly string[], limit: number): LatchNames => ({
  count: names.length,
  some: names.slice(0, limit),
})

/** Carries a step out at the store, over the link of a client. */
export type Call = <T>(timeoutMs: number, step: (session: string) => T) => Promise<T>

/** Registers a callback at the store, over the link of a client. */
export type Register = (
  timeoutMs: number,
  callback: () => void,
  register: (callback: () => void) => void,
) => Promise<() => void>

/** The latches of a store in memory, for one client. */
export class LinkedLatches implements LatchStore {
  readonly #latches: MemoryLatches
  readonly #clientId: string
  readonly #call: Call
  readonly #register: Register

  constructor(latches: MemoryLatches, clientId: string, call: Call, register: Register) {
    this.#latches = latches
    this.#clientId = clientId
    this.#call = call
    this.#register = register
  }

  read(name: string, timeoutMs: number): Promise<StoredLatch | null> {
    return this.#call(timeoutMs, () => this.#latches.read(name))
  }

  watch(name: string, callback: () => void, timeoutMs: number): Promise<() => void> {
    return this.#register(timeoutMs, callback, (told) => this.#latches.watch(name, told))
  }

  write(name: string, read: StoredLatch | null, latch: NewLatch, timeoutMs: number): Promise<boolean> {
    return this.#call(timeoutMs, () => this.#latches.write(name, read, latch))
  }

  count(name: string, read: StoredLatch, round: string, party: string, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#latches.count(name, read, round, party))
  }

  parties(name: string, round: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    return this.#call(timeoutMs, () => this.#latches.parties(name, round, limit))
  }

  keep(name: string, read: StoredLatch, timeoutMs: number): Promise<void> {
    return this.#call(timeoutMs, () => this.#latches.keep(name, read))
  }

  leftMs(name: string, read: StoredLatch, timeoutMs: number): Promise<number> {
    return this.#call(timeoutMs, () => this.#latches.leftMs(name, read))
  }

  attend(name: string, isWaiting: boolean, timeoutMs: number): Promise<void> {
    return this.#call(timeoutMs, (session) =>
      this.#latches.attend(name, this.#clientId, isWaiting ? session : null),
    )
  }

  waiters(name: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    return this.#call(timeoutMs, () => this.#latches.waiters(name, limit))
  }
}
