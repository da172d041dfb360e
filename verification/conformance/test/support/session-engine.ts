import type {
  AcquireRequest,
  Address,
  Addressing,
  EngineHost,
  EngineSession,
  Inbox,
  LockEngine,
  LockSteps,
  QueueEntry,
  Registry,
  ReleaseRequest,
  Renewal,
  StoreFacts,
} from '@holdfast/core/engine'
import { SessionOverError, type SessionStore } from './session-store.js'

/** How much sooner than the store a client takes its session for over. */
const marginMs = 20

/** Locks on a store where holds and queue entries end with the session of their client, which each step proves. */
export const sessionEngine = (store: SessionStore): LockEngine => ({
  name: 'sessions',
  traits: {
    fifo: true,
    handOff: 'grant',
    lease: { of: 'session', stepMs: 1, shortestMs: 100, marginMs },
    fencing: 'while data lives',
    survives: 'nothing',
    force: 'at renewal',
    commandsPerCycle: { uncontended: 2, contended: 2 },
  },
  open: (host) => new OpenSession(store, host),
})

class OpenSession implements EngineSession {
  readonly store: ClientSession
  readonly names: Addressing
  readonly steps: SessionSteps
  readonly inbox: Inbox = { isSubscribed: () => true, subscribe: () => Promise.resolve() }
  readonly registry: Registry

  constructor(store: SessionStore, host: EngineHost) {
    const { clientId, client } = host
    this.store = new ClientSession(store, host)
    const locate = (name: string): Address => ({ name, id: name, group: 'all' })
    this.names = { locate, resolve: locate }
    this.steps = new SessionSteps(store, this.store)
    this.registry = {
      register: () => {
        this.store.prove()
        store.clients.set(clientId, client)
        return Promise.resolve()
      },
      find: (id) => Promise.resolve(store.clients.get(id) ?? null),
    }
  }

  prepare(): Promise<void> {
    return this.registry.register()
  }

  close(): Promise<void> {
    this.store.end()
    return Promise.resolve()
  }
}

/** The session of one client: another one begins when it has ended, which has none of its holds. */
class ClientSession implements StoreFacts {
  readonly connectionEpoch = 0
  aliveUntil = -Infinity
  readonly #store: SessionStore
  readonly #host: EngineHost
  #id: number | undefined

  constructor(store: SessionStore, host: EngineHost) {
    this.#store = store
    this.#host = host
  }

  incarnation(): Promise<string> {
    return Promise.resolve(this.knownIncarnation())
  }

  knownIncarnation(): string {
    return String(this.#id)
  }

  /** Runs a step in the session, in the next one if this is over. */
  run<T>(step: (session: number) => T): T {
    try {
      return this.#runOnce(step)
    } catch (error) {
      if (!(error instanceof SessionOverError)) throw error
      this.aliveUntil = -Infinity
      this.#id = undefined
      this.#host.broken()
      setImmediate(() => this.#host.reconnected())
      return this.#runOnce(step)
    }
  }

  prove(): void {
    this.run((session) => this.#store.prove(session))
  }

  end(): void {
    if (this.#id !== undefined) this.#store.end(this.#id)
  }

  #runOnce<T>(step: (session: number) => T): T {
    const { watchdogTimeoutMs } = this.#host
    const sentAt = this.#host.now()
    this.#id ??= this.#store.begin(watchdogTimeoutMs, (name, owner, grant) =>
      this.#host.granted(name, owner, grant),
    )
    const result = step(this.#id)
    this.aliveUntil = sentAt + watchdogTimeoutMs - marginMs
    return result
  }
}

class SessionSteps implements LockSteps {
  readonly #store: SessionStore
  readonly #session: ClientSession

  constructor(store: SessionStore, session: ClientSession) {
    this.#store = store
    this.#session = session
  }

  acquire({ name }: Address, request: AcquireRequest) {
    return Promise.resolve(this.#session.run((session) => this.#store.acquire(session, name, request)))
  }

  release({ name }: Address, request: ReleaseRequest) {
    return Promise.resolve(this.#session.run((session) => this.#store.release(session, name, request)))
  }

  renew(renewals: readonly Renewal[]) {
    const renewAll = (session: number) => {
      this.#store.prove(session)
      return renewals.map(({ address, owner, leaseMs }) =>
        this.#store.renew(session, address.name, owner, leaseMs),
      )
    }
    return Promise.resolve(this.#session.run(renewAll))
  }

  refresh(entries: readonly QueueEntry[]) {
    const refreshAll = (session: number) => {
      this.#store.prove(session)
      return entries.map(({ address, owner }) => this.#store.refresh(address.name, owner))
    }
    return Promise.resolve(this.#session.run(refreshAll))
  }

  force({ name }: Address, owner: string) {
    return Promise.resolve(this.#session.run((session) => this.#store.force(session, name, owner)))
  }

  inspect({ name }: Address, limit: number) {
    return Promise.resolve(this.#store.inspect(name, limit))
  }
}
