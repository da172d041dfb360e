import type {
  Address,
  ConnectedClient,
  ListFilter,
  ListPage,
  ObjectType,
  OperatorSession,
} from '@holdfast/core/engine'

/** What operators' steps need of the store. */
export interface MemoryOperatorDeps {
  /** Carries out a step. */
  send<T>(step: () => T): Promise<T>
  /** What is held or waited for, or was until now. */
  listed(): readonly { readonly address: Address; readonly object: ObjectType; readonly hasQueue: boolean }[]
  connected(): readonly ConnectedClient[]
  /** Returns whether there is such a client, and it is subscribed. */
  tell(clientId: string, text: string): boolean
}

/** Operators' steps in a store that is small enough to be looked at as a whole. */
export class MemoryOperator implements OperatorSession {
  readonly #deps: MemoryOperatorDeps

  constructor(deps: MemoryOperatorDeps) {
    this.#deps = deps
  }

  list(_cursor: string | null, { contended }: ListFilter): Promise<ListPage> {
    return this.#deps.send(() => {
      const all = this.#deps.listed()
      const found = contended ? all.filter(({ hasQueue }) => hasQueue) : all
      return { found, scanned: all.length, total: all.length, costMs: 0, next: null }
    })
  }

  clients(): Promise<readonly ConnectedClient[]> {
    return this.#deps.send(() => this.#deps.connected())
  }

  send(clientIds: readonly string[], text: string): Promise<readonly boolean[]> {
    return this.#deps.send(() => clientIds.map((clientId) => this.#deps.tell(clientId, text)))
  }
}
