import type { ClientInfo, EngineHost, Registry } from '@holdfast/core/engine'
import { isFresh } from './heartbeat.js'
import type { QueueStore } from './store.js'

/** Makes the client known, once in each session. */
export class Registration implements Registry {
  readonly #host: EngineHost
  readonly #store: QueueStore
  /** The session in which it is known. */
  #knownIn = ''

  constructor(host: EngineHost, store: QueueStore) {
    this.#host = host
    this.#store = store
  }

  /** Whether it was known in an earlier session, and is not in this one. */
  get isStale(): boolean {
    return this.#knownIn !== '' && this.#knownIn !== this.#store.session
  }

  get hasBegun(): boolean {
    return this.#knownIn !== ''
  }

  async register(): Promise<void> {
    const { commandTimeoutMs } = this.#host
    if (this.#knownIn !== '' && this.#knownIn === this.#store.session) {
      // A renewal of holds or the heartbeat has done it, mostly.
      if (!isFresh(this.#host, this.#store)) await this.#store.prove([], commandTimeoutMs)
      return
    }
    await this.#store.announce(commandTimeoutMs)
    this.#knownIn = this.#store.session
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#store.client(clientId, this.#host.commandTimeoutMs)
  }
}
