import {
  InvalidArgumentError,
  type Address,
  type ClientInfo,
  type EngineHost,
  type EngineSession,
  type LockEngine,
  type QueueEntry,
  type ReleaseRequest,
  type AcquireRequest,
  type Renewal,
} from '@holdfast/core/engine'
import type { TrialLink } from './trial-link.js'
import type { TrialStore } from './trial-store.js'

/** An engine unlike the others, which shows that the port and the suite are not made for one kind of store only. */
export const trialEngine = (store: TrialStore, link: TrialLink): LockEngine => ({
  name: 'trial',
  traits: {
    fifo: false,
    handOff: 'wake',
    lease: { stepMs: 1_000, shortestMs: 1_000, marginMs: 20 },
    fencing: 'none',
    survives: 'nothing',
    force: 'at renewal',
    commandsAreCounted: false,
  },
  open: (host) => new TrialSession(store, link, host),
})

class TrialSession implements EngineSession {
  readonly #store: TrialStore
  readonly #link: TrialLink
  readonly #host: EngineHost
  #isClosed = false
  #known: { readonly breaks: number; readonly incarnation: string } | undefined

  constructor(store: TrialStore, link: TrialLink, host: EngineHost) {
    this.#store = store
    this.#link = link
    this.#host = host
    link.onBreak = () => {
      if (!this.#isClosed) queueMicrotask(() => host.reconnected())
    }
  }

  get connectionEpoch(): number {
    return this.#link.breaks
  }

  locate(name: string): Address {
    if (name.includes('\uFFFF')) throw new InvalidArgumentError('name must not contain U+FFFF')
    return { name, id: name, group: 'all' }
  }

  resolve(id: string): Address {
    return this.locate(id)
  }

  async prepare(address: Address): Promise<void> {
    await this.register()
    await this.incarnation(address)
  }

  acquire({ name }: Address, request: AcquireRequest, timeoutMs: number) {
    const wake = (): void => {
      void this.#link.arrival('toClient').then(() => {
        if (!this.#isClosed) this.#host.wake(name, request.owner)
      })
    }
    return this.#call(timeoutMs, () => this.#store.acquire(name, request, wake), true)
  }

  release({ name }: Address, request: ReleaseRequest, timeoutMs: number) {
    return this.#call(timeoutMs, () => this.#store.release(name, request), true)
  }

  renew(renewals: readonly Renewal[], timeoutMs: number) {
    const renewOne = ({ address, owner, leaseMs }: Renewal) => this.#store.renew(address.name, owner, leaseMs)
    return this.#call(timeoutMs, () => renewals.map(renewOne), true)
  }

  refresh(entries: readonly QueueEntry[]) {
    const refreshOne = ({ address, owner, entryTtlMs }: QueueEntry) =>
      this.#store.refresh(address.name, owner, entryTtlMs)
    return this.#call(this.#host.commandTimeoutMs, () => entries.map(refreshOne))
  }

  force({ name }: Address, owner: string) {
    const request = { owner, count: 0, tombstoneMs: 0 }
    return this.#call(this.#host.commandTimeoutMs, () => this.#store.release(name, request))
  }

  inspect({ name }: Address, limit: number) {
    return this.#call(this.#host.commandTimeoutMs, () => this.#store.inspect(name, limit))
  }

  async incarnation(_address: Address): Promise<string> {
    const { breaks } = this.#link
    const incarnation = await this.#call(this.#host.commandTimeoutMs, () => this.#store.incarnation)
    this.#known = { breaks, incarnation }
    return incarnation
  }

  knownIncarnation(): string | undefined {
    return this.#known?.breaks === this.#link.breaks ? this.#known.incarnation : undefined
  }

  isSubscribed(): boolean {
    return true
  }

  subscribe(): Promise<void> {
    return Promise.resolve()
  }

  async register(): Promise<void> {
    const { clientId, client, commandTimeoutMs } = this.#host
    await this.#call(commandTimeoutMs, () => this.#store.clients.set(clientId, client))
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#call(this.#host.commandTimeoutMs, () => this.#store.clients.get(clientId) ?? null)
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#link.fail('the session was closed')
    return Promise.resolve()
  }

  #call<T>(timeoutMs: number, run: () => T, isAboutLock = false): Promise<T> {
    return this.#link.call(timeoutMs, run, isAboutLock)
  }
}
