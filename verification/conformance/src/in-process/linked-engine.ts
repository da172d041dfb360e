import {
  type AcquireRequest,
  type Address,
  type Addressing,
  type EngineHost,
  type EngineSession,
  type CountDownRequest,
  type GrantNotice,
  type Inbox,
  type LatchDeleteRequest,
  type LatchSession,
  type LatchSetRequest,
  type LatchWait,
  type ListFilter,
  type LockEngine,
  type LockSteps,
  type OperatorSession,
  type QueueEntry,
  type Registry,
  type ReleaseRequest,
  type Renewal,
  type StoreFacts,
} from '@holdfast/core/engine'
import type { Link } from '../engine-under-test.js'
import { InProcessLink, type Network } from './in-process-link.js'

/** An engine for one client, and the network that it lies behind. */
export interface LinkedEngine {
  /** For the options of that client. */
  readonly engine: LockEngine
  /** Between the two. */
  readonly link: Link
}

/**
 * Puts a network between an engine in this process and one client, which takes the engine that is returned: steps, replies and
 * notifications take 2 ms each way, and the link holds them back, loses them or breaks.
 *
 * @param tripsPerStep - how many round trips each step takes
 * @param network - what carries messages instead, in whatever time
 */
export function linkedEngine(engine: LockEngine, tripsPerStep = 1, network?: Network): LinkedEngine {
  const { name, traits } = engine
  const link = new InProcessLink(name, tripsPerStep, network)
  const open = (host: EngineHost) => new LinkedSession(link, host, engine.open(farHost(host, link)))
  return { engine: { name, traits, open }, link }
}

/** Notifications take time, and those on their way are lost when the link breaks. */
function farHost(host: EngineHost, link: InProcessLink): EngineHost {
  const later = (report: () => void): void => {
    const { breaks } = link
    void link.arrival('toClient', 'notifications').then(() => {
      if (breaks === link.breaks && !link.isClosed) report()
    })
  }
  return {
    ...host,
    granted: (id: string, owner: string, grant: GrantNotice) => later(() => host.granted(id, owner, grant)),
    revoked: (owner: string) => later(() => host.revoked(owner)),
    wake: (id: string, owner?: string) => later(() => host.wake(id, owner)),
    opened: (id: string, generation: number) => later(() => host.opened(id, generation)),
    onMessage: (text: string) => later(() => host.onMessage(text)),
    missed: (id?: string) => later(() => host.missed(id)),
    unsubscribed: (cause: Error) => later(() => host.unsubscribed(cause)),
    // What holds are claimed by is known on the client's side.
    broken: () => host.broken(),
    reconnected: () => later(() => host.reconnected()),
    warn: (code, message) => host.warn(code, message),
    error: (error: unknown) => host.error(error),
  }
}

class LinkedSession implements EngineSession {
  readonly store: LinkedFacts
  readonly names: Addressing
  readonly steps: LinkedSteps
  readonly inbox: Inbox
  readonly registry: Registry
  readonly latches: LatchSession | undefined
  readonly operator: OperatorSession | undefined
  readonly #link: InProcessLink
  readonly #far: EngineSession
  readonly #timeoutMs: number

  constructor(link: InProcessLink, host: EngineHost, far: EngineSession) {
    this.#link = link
    this.#far = far
    const { commandTimeoutMs: timeoutMs } = host
    this.#timeoutMs = timeoutMs
    this.store = new LinkedFacts(link, far.store, timeoutMs)
    this.names = far.names
    this.steps = new LinkedSteps(link, far.steps, timeoutMs)
    this.inbox = far.inbox
    this.registry = {
      register: () => link.call(timeoutMs, () => far.registry.register(), false),
      find: (clientId) => link.call(timeoutMs, () => far.registry.find(clientId), false),
    }
    this.latches = far.latches && new LinkedLatches(link, far.latches, timeoutMs)
    this.operator = far.operator && new LinkedOperator(link, far.operator, timeoutMs)
    link.onBreak = () => {
      queueMicrotask(() => {
        if (link.isClosed) return
        host.missed()
        host.reconnected()
      })
    }
  }

  async prepare(address: Address): Promise<void> {
    await this.#link.call(this.#timeoutMs, () => this.#far.prepare(address), false)
    await this.store.incarnation(address)
  }

  async close(): Promise<void> {
    await this.#link.close()
    await this.#far.close()
  }
}

class LinkedFacts implements StoreFacts {
  readonly #link: InProcessLink
  readonly #far: StoreFacts
  readonly #timeoutMs: number
  readonly uptimeMs?: NonNullable<StoreFacts['uptimeMs']>
  #knownAt: number | undefined

  constructor(link: InProcessLink, far: StoreFacts, timeoutMs: number) {
    this.#link = link
    this.#far = far
    this.#timeoutMs = timeoutMs
    if (far.uptimeMs) {
      this.uptimeMs = (address) =>
        link.call(timeoutMs, () => far.uptimeMs?.(address) ?? Promise.resolve(undefined), false)
    }
  }

  get connectionEpoch(): number {
    return this.#link.breaks
  }

  get aliveUntil(): number | undefined {
    return this.#far.aliveUntil
  }

  async incarnation(address: Address): Promise<string | undefined> {
    const { breaks } = this.#link
    const incarnation = await this.#link.call(this.#timeoutMs, () => this.#far.incarnation(address), false)
    this.#knownAt = breaks
    return incarnation
  }

  /** After a break the store may be another one, as far as this side knows. */
  knownIncarnation(address: Address): string | null | undefined {
    return this.#knownAt === this.#link.breaks ? this.#far.knownIncarnation(address) : undefined
  }
}

class LinkedSteps implements LockSteps {
  readonly acquireMany?: NonNullable<LockSteps['acquireMany']>
  readonly resize?: NonNullable<LockSteps['resize']>
  readonly raiseToken?: NonNullable<LockSteps['raiseToken']>
  readonly noteToken?: NonNullable<LockSteps['noteToken']>
  readonly #link: InProcessLink
  readonly #far: LockSteps
  readonly #timeoutMs: number

  constructor(link: InProcessLink, far: LockSteps, commandTimeoutMs: number) {
    this.#link = link
    this.#far = far
    this.#timeoutMs = commandTimeoutMs
    const none = (): Promise<never> => Promise.reject(new Error('the engine has no such step'))
    if (far.acquireMany) {
      this.acquireMany = (request, timeoutMs) =>
        link.call(timeoutMs, () => far.acquireMany?.(request, timeoutMs) ?? none(), true)
    }
    if (far.resize) {
      this.resize = (address, request, timeoutMs) =>
        link.call(timeoutMs, () => far.resize?.(address, request, timeoutMs) ?? none(), true)
    }
    if (far.raiseToken) {
      this.raiseToken = (address, token, keepMs) =>
        this.#call(() => far.raiseToken?.(address, token, keepMs) ?? none())
    }
    if (far.noteToken) this.noteToken = (address, token) => far.noteToken?.(address, token)
  }

  acquire(address: Address, request: AcquireRequest, timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.acquire(address, request, timeoutMs), true)
  }

  release(address: Address, request: ReleaseRequest, timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.release(address, request, timeoutMs), true)
  }

  renew(renewals: readonly Renewal[], timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.renew(renewals, timeoutMs), true)
  }

  refresh(entries: readonly QueueEntry[]) {
    return this.#call(() => this.#far.refresh(entries))
  }

  force(address: Address, owner: string) {
    return this.#call(() => this.#far.force(address, owner))
  }

  inspect(address: Address, limit: number) {
    return this.#call(() => this.#far.inspect(address, limit))
  }

  #call<T>(run: () => Promise<T>): Promise<T> {
    return this.#link.call(this.#timeoutMs, run, false)
  }
}

class LinkedLatches implements LatchSession {
  readonly #link: InProcessLink
  readonly #far: LatchSession
  readonly #timeoutMs: number

  constructor(link: InProcessLink, far: LatchSession, timeoutMs: number) {
    this.#link = link
    this.#far = far
    this.#timeoutMs = timeoutMs
  }

  set(address: Address, request: LatchSetRequest, timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.set(address, request, timeoutMs), true)
  }

  countDown(address: Address, request: CountDownRequest, timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.countDown(address, request, timeoutMs), true)
  }

  wait(waits: readonly LatchWait[], timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.wait(waits, timeoutMs), true)
  }

  delete(address: Address, request: LatchDeleteRequest, timeoutMs: number) {
    return this.#link.call(timeoutMs, () => this.#far.delete(address, request, timeoutMs), true)
  }

  inspect(address: Address, limit: number) {
    return this.#link.call(this.#timeoutMs, () => this.#far.inspect(address, limit), false)
  }
}

class LinkedOperator implements OperatorSession {
  readonly #link: InProcessLink
  readonly #far: OperatorSession
  readonly #timeoutMs: number

  constructor(link: InProcessLink, far: OperatorSession, timeoutMs: number) {
    this.#link = link
    this.#far = far
    this.#timeoutMs = timeoutMs
  }

  list(cursor: string | null, filter: ListFilter) {
    return this.#call(() => this.#far.list(cursor, filter))
  }

  clients() {
    return this.#call(() => this.#far.clients())
  }

  send(clientIds: readonly string[], text: string, before?: Address) {
    return this.#call(() => this.#far.send(clientIds, text, before))
  }

  #call<T>(run: () => Promise<T>): Promise<T> {
    return this.#link.call(this.#timeoutMs, run, false)
  }
}
