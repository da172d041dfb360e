import type { ClientInfo, EngineHost, Registry } from '@holdfast/core/engine'
import { UnavailableError } from '@holdfast/core/engine'
import { engineName } from './errors.js'
import type { Steps } from './steps.js'
import type { PostgresStore } from './store.js'

export interface PostgresRegistryDeps {
  readonly host: EngineHost
  readonly steps: Steps
  readonly store: PostgresStore
  readonly minReplicas: number
}

/** The registrations of clients in a PostgreSQL database. */
export class PostgresRegistry implements Registry {
  readonly #deps: PostgresRegistryDeps

  constructor(deps: PostgresRegistryDeps) {
    this.#deps = deps
  }

  async register(): Promise<void> {
    const { host, steps, store } = this.#deps
    await store.run(steps.register(host.clientId, host.client, host.watchdogTimeoutMs))
    await this.#checkStandbys()
  }

  find(clientId: string): Promise<ClientInfo | null> {
    return this.#deps.store.run(this.#deps.steps.find(clientId))
  }

  /** The settings of a primary may change while it runs: then nothing is sent until they are as they were. */
  async #checkStandbys(): Promise<void> {
    const { steps, store, minReplicas } = this.#deps
    if (minReplicas === 0) return
    const shortfall = await store.run(steps.standbys(minReplicas))
    if (shortfall) store.reconnect(new UnavailableError(shortfall.message, { engine: engineName }))
  }
}
