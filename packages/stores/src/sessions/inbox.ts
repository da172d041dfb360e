import { UnavailableError, type EngineHost, type Inbox } from '@holdfast/core/engine'
import type { Background } from './background.js'
import type { QueueStore } from './store.js'

/** Events come over the connection that requests go over. */
export class SessionInbox implements Inbox {
  readonly #host: EngineHost
  readonly #store: QueueStore
  readonly #background: Background

  constructor(host: EngineHost, store: QueueStore, background: Background) {
    this.#host = host
    this.#store = store
    this.#background = background
  }

  /** An entry that is made can be told: by the connection that made it. */
  isSubscribed(): boolean {
    return true
  }

  subscribe(): Promise<void> {
    return new Promise((resolve, reject) => {
      const connect = async (): Promise<void> => {
        try {
          await this.#store.connect(this.#host.commandTimeoutMs)
          resolve()
        } catch (error) {
          if (error instanceof UnavailableError) throw error
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      }
      this.#background.repeat(connect, () => true)
    })
  }
}
