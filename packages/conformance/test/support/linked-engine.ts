import {
  type AcquireRequest,
  type Address,
  type EngineHost,
  type EngineSession,
  type CountDownRequest,
  type GrantNotice,
  type LatchDeleteRequest,
  type LatchSession,
  type LatchSetRequest,
  type LatchWait,
  type ListFilter,
  type LockEngine,
  type OperatorSession,
  type ObjectType,
  type QueueEntry,
  type ReleaseRequest,
  type Renewal,
} from '@holdfast/core/engine'
import type { InProcessLink } from './in-process-link.js'

/** An engine in this process, as if a network lay between it and its one client. */
export const linkedEngine = (engine: LockEngine, link: InProcessLink): LockEngine => ({
  name: engine.name,
  traits: engine.traits,
  open: (host) => new LinkedSession(link, host, engine.open(farHost(host, link))),
})

/** Notifications take time, and those on their way are lost when the link breaks. */
function farHost(host: EngineHost, link: InProcessLink): EngineHost {
  const later = (report: () => void): void => {
    const { breaks } = link
    void link.arrival('toClient').then(() => {
      if (breaks === link.breaks && !link.isClosed) report()
    })
  }
  return {
    ...host,
    granted: (id: string, owner: string, grant: GrantNotice) => later(() => host.granted(id, owner, grant)),
    revoked: (owner: string) => later(() => host.revoked(owner)),
    wake: (id: string, owner?: string) => later(() => host.wake(id, owner)),
    opened: (id: string, generation: number) => later(() => host.opened(id, generation)),
    told: (text: string) => later(() => host.told(text)),
    missed: (id?: string) => later(() => host.missed(id)),
    unsubscribed: (cause: Error) => later(() => host.unsubscribed(cause)),
    broken: () => later(() => host.broken()),
    reconnected: () => later(() => host.reconnected()),
    warn: (code, message) => host.warn(code, message),
    error: (error: unknown) => host.error(error),
  }
}

class LinkedSession implements EngineSession {
  readonly #link: InProcessLink
  readonly #host: EngineHost
  readonly #far: EngineSession
  readonly resize?: NonNullable<EngineSession['resize']>
  readonly latches: LatchSession | undefined
  readonly operator: OperatorSession | undefined
  #knownAt: number | undefined

  constructor(link: InProcessLink, host: EngineHost, far: EngineSession) {
    this.#link = link
    this.#host = host
    this.#far = far
    if (far.resize) {
      this.resize = (address, request, timeoutMs) => {
        const resize = () =>
          far.resize?.(address, request, timeoutMs) ?? Promise.reject(new Error('no resize'))
        return link.call(timeoutMs, resize, true)
      }
    }
    this.latches = far.latches && new LinkedLatches(link, far.latches, host.commandTimeoutMs)
    this.operator = far.operator && new LinkedOperator(link, far.operator, host.commandTimeoutMs)
    link.onBreak = () => {
      queueMicrotask(() => {
        if (link.isClosed) return
        host.missed()
        host.reconnected()
      })
    }
  }

  get connectionEpoch(): number {
    return this.#link.breaks
  }

  locate(name: string, object: ObjectType): Address {
    return this.#far.locate(name, object)
  }

  resolve(id: string): Address | null {
    return this.#far.resolve(id)
  }

  async prepare(address: Address): Promise<void> {
    await this.#call(() => this.#far.prepare(address))
    await this.incarnation(address)
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

  async incarnation(address: Address): Promise<string | undefined> {
    const { breaks } = this.#link
    const incarnation = await this.#call(() => this.#far.incarnation(address))
    this.#knownAt = breaks
    return incarnation
  }

  /** After a break the store may be another one, as far as this side knows. */
  knownIncarnation(address: Address): string | null | undefined {
    return this.#knownAt === this.#link.breaks ? this.#far.knownIncarnation(address) : undefined
  }

  isSubscribed(address: Address): boolean {
    return this.#far.isSubscribed(address)
  }

  subscribe(address: Address): Promise<void> {
    return this.#far.subscribe(address)
  }

  register(): Promise<void> {
    return this.#call(() => this.#far.register())
  }

  find(clientId: string) {
    return this.#call(() => this.#far.find(clientId))
  }

  async close(): Promise<void> {
    await this.#link.close()
    await this.#far.close()
  }

  #call<T>(run: () => Promise<T>): Promise<T> {
    return this.#link.call(this.#host.commandTimeoutMs, run, false)
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

  tell(clientIds: readonly string[], text: string, before?: Address) {
    return this.#call(() => this.#far.tell(clientIds, text, before))
  }

  #call<T>(run: () => Promise<T>): Promise<T> {
    return this.#link.call(this.#timeoutMs, run, false)
  }
}
