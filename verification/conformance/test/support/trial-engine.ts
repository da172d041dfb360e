import {
  type AcquireRequest,
  type Address,
  type Addressing,
  type EngineHost,
  type EngineSession,
  type Inbox,
  type LockEngine,
  type LockSteps,
  type QueueEntry,
  type Registry,
  type ReleaseRequest,
  type Renewal,
  type StoreFacts,
} from '@holdfast/core/engine'
import type { TrialStore } from './trial-store.js'

/** An engine unlike the others, which shows that the port and the suite are not made for one kind of store only. */
export const trialEngine = (store: TrialStore): LockEngine => ({
  name: 'trial',
  traits: {
    fifo: false,
    handOff: 'wake',
    lease: { stepMs: 400, shortestMs: 400, marginMs: 20 },
    fencing: 'none',
    survives: 'nothing',
    evicts: true,
    force: 'at renewal',
  },
  open: (host) => new TrialSession(store, host),
})

/** Its connection never breaks by itself: for that it is put behind a link. */
class TrialSession implements EngineSession {
  readonly store: StoreFacts
  readonly names: Addressing
  readonly steps: TrialSteps
  readonly inbox: Inbox = { isSubscribed: () => true, subscribe: () => Promise.resolve() }
  readonly registry: Registry

  constructor(store: TrialStore, host: EngineHost) {
    const { clientId, client } = host
    this.store = {
      connectionEpoch: 0,
      incarnation: () => Promise.resolve(store.incarnation),
      knownIncarnation: () => store.incarnation,
    }
    const locate = (name: string): Address => ({ name, id: name, group: 'all' })
    this.names = { locate, resolve: locate }
    this.steps = new TrialSteps(store, host)
    this.registry = {
      register: () => {
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
    return Promise.resolve()
  }
}

class TrialSteps implements LockSteps {
  readonly #store: TrialStore
  readonly #host: EngineHost

  constructor(store: TrialStore, host: EngineHost) {
    this.#store = store
    this.#host = host
  }

  acquire({ name }: Address, request: AcquireRequest) {
    const wake = (): void => this.#host.wake(name, request.owner)
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
}
