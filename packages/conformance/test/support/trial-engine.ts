import {
  type AcquireRequest,
  type Address,
  type ClientInfo,
  type EngineHost,
  type EngineSession,
  type LockEngine,
  type QueueEntry,
  type ReleaseRequest,
  type Renewal,
} from '@holdfast/core/engine'
import type { TrialStore } from './trial-store.js'

/** An engine unlike the others, which shows that the port and the suite are not made for one kind of store only. */
export const trialEngine = (store: TrialStore): LockEngine => ({
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
  open: (host) => new TrialSession(store, host),
})

/** Its connection never breaks by itself: for that it is put behind a link. */
class TrialSession implements EngineSession {
  readonly connectionEpoch = 0
  readonly #store: TrialStore
  readonly #host: EngineHost

  constructor(store: TrialStore, host: EngineHost) {
    this.#store = store
    this.#host = host
  }

  locate(name: string): Address {
    return { name, id: name, group: 'all' }
  }

  resolve(id: string): Address {
    return this.locate(id)
  }

  prepare(): Promise<void> {
    return this.register()
  }

  acquire({ name }: Address, request: AcquireRequest) {
    const wake = (): void => {
      this.#host.wake(name, request.owner)
    }
    return Promise.resolve(this.#store.acquire(name, request, wake))
  }

  release({ name }: Address, request: ReleaseRequest) {
    return Promise.resolve(this.#store.release(name, request))
  }

  renew(renewals: readonly Renewal[]) {
    const renewOne = ({ address, owner, leaseMs }: Renewal) => this.#store.renew(address.name, owner, leaseMs)
    return Promise.resolve(renewals.map(renewOne))
  }

  refresh(entries: readonly QueueEntry[]) {
    const refreshOne = ({ address, owner, entryTtlMs }: QueueEntry) =>
      this.#store.refresh(address.name, owner, entryTtlMs)
    return Promise.resolve(entries.map(refreshOne))
  }

  force(address: Address, owner: string) {
    return this.release(address, { owner, count: 0, tombstoneMs: 0 })
  }

  inspect({ name }: Address, limit: number) {
    return Promise.resolve(this.#store.inspect(name, limit))
  }

  incarnation(): Promise<string> {
    return Promise.resolve(this.#store.incarnation)
  }

  knownIncarnation(): string {
    return this.#store.incarnation
  }

  isSubscribed(): boolean {
    return true
  }

  subscribe(): Promise<void> {
    return Promise.resolve()
  }

  register(): Promise<void> {
    const { clientId, client } = this.#host
    this.#store.clients.set(clientId, client)
    return Promise.resolve()
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return Promise.resolve(this.#store.clients.get(clientId) ?? null)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
