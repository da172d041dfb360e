import type { EngineHost, StoreFacts } from '@holdfast/core/engine'
import type { QueueStore } from './store.js'

/** Clocks of two machines run at slightly different speeds. */
const driftShare = 0.01

/** For how long after a proof the session may be relied on. */
export const claimedMs = ({ sessionMs, marginMs }: QueueStore): number =>
  sessionMs * (1 - driftShare) - marginMs

/** What is known of the store. Its sessions are what the core calls incarnations: another one has nothing of this one. */
export class SessionFacts implements StoreFacts {
  readonly #host: EngineHost
  readonly #store: QueueStore

  constructor(host: EngineHost, store: QueueStore) {
    this.#host = host
    this.#store = store
  }

  get name(): string {
    return this.#store.name
  }

  get connectionEpoch(): number {
    return this.#store.connectionEpoch
  }

  get aliveUntil(): number {
    return this.#store.provenAt + claimedMs(this.#store)
  }

  async incarnation(): Promise<string | undefined> {
    await this.#store.connect(this.#host.commandTimeoutMs)
    return this.knownIncarnation()
  }

  knownIncarnation(): string | undefined {
    return this.#store.session || undefined
  }
}
