import type { EngineHost, StoreFacts } from '@holdfast/core/engine'
import type { QueueStore } from './store.js'

/** Clocks of two machines run at slightly different speeds. */
const driftShare = 0.01

/** What is known of the store. Its sessions are what the core calls incarnations: another one has nothing of this one. */
export class SessionFacts implements StoreFacts {
  readonly #host: EngineHost
  readonly #store: QueueStore
  readonly #marginMs: number

  constructor(host: EngineHost, store: QueueStore, marginMs: number) {
    this.#host = host
    this.#store = store
    this.#marginMs = marginMs
  }

  get name(): string {
    return this.#store.name
  }

  get connectionEpoch(): number {
    return this.#store.connectionEpoch
  }

  get aliveUntil(): number {
    const { provenAt, sessionMs } = this.#store
    return provenAt + sessionMs * (1 - driftShare) - this.#marginMs
  }

  async incarnation(): Promise<string | undefined> {
    await this.#store.connect(this.#host.commandTimeoutMs)
    return this.knownIncarnation()
  }

  knownIncarnation(): string | undefined {
    return this.#store.session || undefined
  }
}
