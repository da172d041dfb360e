import { UnavailableError } from '@holdfast/core/engine'
import type * as port from '@holdfast/core/engine'
import type { Change, DocumentStore } from './document-store.js'

/** One lock as it is stored. Tombstones: abandoned owners, and until when their late requests are refused. */
interface LockDocument {
  hold: { readonly owner: string; readonly count: number; readonly untilMs: number } | null
  token: number
  tombstones: [owner: string, untilMs: number][]
}

/** Locks on any store that can replace a document on condition. It notifies no one: waiters poll. */
export const documentEngine = (store: DocumentStore): port.LockEngine => ({
  name: 'documents',
  traits: {
    fifo: false,
    handOff: { pollMs: [20, 40] },
    lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
    fencing: 'while data lives',
    survives: 'nothing',
    force: 'at renewal',
  },
  open: (host) => openSession(store, host),
})

function openSession(store: DocumentStore, host: port.EngineHost): port.EngineSession {
  const documents = new Documents(store)
  const registry = new DocumentRegistry(documents, host)
  const locate = (name: string): port.Address => ({ name, id: name, group: '' })
  return {
    store: {
      // Nothing is sent twice here. With a driver that repeats commands by itself, this grows with each broken connection.
      connectionEpoch: 0,
      incarnation: () => Promise.resolve(store.id),
      knownIncarnation: () => store.id,
    },
    names: { locate, resolve: locate },
    steps: new DocumentSteps(documents, host.commandTimeoutMs),
    // No notification ever arrives, so the core requests no queue entries.
    inbox: { isSubscribed: () => false, subscribe: () => Promise.resolve() },
    registry,
    prepare: () => registry.register(),
    close: () => documents.close(),
  }
}

class DocumentSteps implements port.LockSteps {
  readonly #documents: Documents
  readonly #commandTimeoutMs: number

  constructor(documents: Documents, commandTimeoutMs: number) {
    this.#documents = documents
    this.#commandTimeoutMs = commandTimeoutMs
  }

  acquire({ id }: port.Address, { owner, count, leaseMs }: port.AcquireRequest, timeoutMs: number) {
    return this.#step<port.AcquireReply>(id, timeoutMs, (lock, nowMs) => {
      const { hold } = lock
      if (hold?.owner !== owner && count > 1) return { kind: 'lost' }
      if (hold?.owner !== owner && lock.tombstones.some(([abandoned]) => abandoned === owner)) {
        return { kind: 'abandoned' }
      }
      if (hold && hold.owner !== owner) {
        return { kind: 'busy', ttlMs: Math.ceil(hold.untilMs - nowMs), holder: hold.owner, position: 0 }
      }
      if (!hold) lock.token += 1
      // The count wanted, never one more: a repeated request changes nothing. Nor does a first one that comes again after a re-entry.
      const entered = hold && count === 1 ? hold.count : count
      // Never a shorter lease.
      lock.hold = { owner, count: entered, untilMs: Math.max(hold?.untilMs ?? 0, nowMs + leaseMs) }
      return { kind: 'held', token: lock.token }
    })
  }

  release({ id }: port.Address, { owner, count, tombstoneMs }: port.ReleaseRequest, timeoutMs: number) {
    return this.#step<port.ReleaseReply>(id, timeoutMs, (lock, nowMs) => {
      if (tombstoneMs > 0) lock.tombstones.push([owner, nowMs + tombstoneMs])
      if (lock.hold?.owner !== owner) return { kind: 'not-held' }
      lock.hold = count === 0 ? null : { ...lock.hold, count }
      return { kind: 'released' }
    })
  }

  renew(renewals: readonly port.Renewal[], timeoutMs: number) {
    const renewOne = ({ address: { id }, owner, leaseMs }: port.Renewal) =>
      this.#step<port.RenewalReply>(id, timeoutMs, (lock, nowMs) => {
        if (lock.hold?.owner !== owner) return 'not-held'
        lock.hold = { ...lock.hold, untilMs: Math.max(lock.hold.untilMs, nowMs + leaseMs) }
        return 'renewed'
      })
    return Promise.all(renewals.map(renewOne))
  }

  force(address: port.Address, owner: string) {
    return this.release(address, { owner, count: 0, tombstoneMs: 0 }, this.#commandTimeoutMs)
  }

  inspect({ id }: port.Address) {
    return this.#step<port.Inspection>(id, this.#commandTimeoutMs, ({ hold, token }, nowMs) => {
      const { owner = '', count = 0, untilMs = nowMs - 1 } = hold ?? {}
      const ttlMs = Math.ceil(untilMs - nowMs)
      return { kind: 'lock', owner, count, ttlMs, token, waiterCount: 0, waiters: [] }
    })
  }

  // There is no queue entry to refresh.
  refresh = (entries: readonly port.QueueEntry[]): Promise<port.QueueEntryReply[]> =>
    Promise.resolve(entries.map(() => ({ state: 'missing', ttlMs: 0 })))

  #step<T>(id: string, timeoutMs: number, step: (lock: LockDocument, nowMs: number) => T): Promise<T> {
    return this.#documents.update(`lock:${id}`, timeoutMs, (text, nowMs) => {
      const lock = text === '' ? { hold: null, token: 0, tombstones: [] } : (JSON.parse(text) as LockDocument)
      if (lock.hold && lock.hold.untilMs <= nowMs) lock.hold = null
      lock.tombstones = lock.tombstones.filter(([, untilMs]) => untilMs > nowMs)
      const result = step(lock, nowMs)
      return { text: JSON.stringify(lock), result }
    })
  }
}

class DocumentRegistry implements port.Registry {
  readonly #documents: Documents
  readonly #host: port.EngineHost

  constructor(documents: Documents, host: port.EngineHost) {
    this.#documents = documents
    this.#host = host
  }

  async register(): Promise<void> {
    const { clientId, client, commandTimeoutMs } = this.#host
    await this.#documents.update(`client:${clientId}`, commandTimeoutMs, () => ({
      text: JSON.stringify(client),
      result: undefined,
    }))
  }

  async find(clientId: string): Promise<port.ClientInfo | null> {
    const { commandTimeoutMs } = this.#host
    const found = await this.#documents.update(`client:${clientId}`, commandTimeoutMs, (text) => ({
      text,
      result: text,
    }))
    if (found === '') return null
    const info = JSON.parse(found) as Omit<port.ClientInfo, 'startedAt'> & { readonly startedAt: string }
    return { ...info, startedAt: new Date(info.startedAt) }
  }
}

/** The documents of one client. */
class Documents {
  readonly #store: DocumentStore
  readonly #closing = new AbortController()

  constructor(store: DocumentStore) {
    this.#store = store
  }

  /** When an update fails, whether it was carried out is unknown. `UnavailableError` says so, and the core cleans up. */
  async update<T>(key: string, timeoutMs: number, change: Change<T>): Promise<T> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    try {
      return await this.#store.update(key, AbortSignal.any([this.#closing.signal, late.signal]), change)
    } catch (cause) {
      throw new UnavailableError('no reply from the document store', { cause, engine: 'documents' })
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<void> {
    this.#closing.abort()
    return Promise.resolve()
  }
}
