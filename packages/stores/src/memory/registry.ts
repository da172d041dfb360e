import type { ClientInfo } from '@holdfast/core/engine'

/** What each client has registered with, until its registration expires. */
export class Registry {
  readonly #clients = new Map<string, { readonly info: ClientInfo; readonly untilUs: number }>()

  register(clientId: string, info: ClientInfo, ttlMs: number, nowUs: number): void {
    for (const [id, { untilUs }] of this.#clients) if (untilUs <= nowUs) this.#clients.delete(id)
    this.#clients.set(clientId, { info, untilUs: nowUs + ttlMs * 1_000 })
  }

  find(clientId: string, nowUs: number): ClientInfo | null {
    const found = this.#clients.get(clientId)
    return found && found.untilUs > nowUs ? found.info : null
  }

  clear(): void {
    this.#clients.clear()
  }
}
