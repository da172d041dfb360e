import type { InProcessLink } from '@holdfast/conformance'
import type {
  DocumentHost,
  DocumentPage,
  DocumentSession,
  DocumentStore,
  KeyRange,
  Snapshot,
} from '@holdfast/stores/documents'

/** The same store, at the far end of a link: each request is a message of its own, and so is its reply. */
export function linkedDocuments(store: DocumentStore, link: InProcessLink): DocumentStore {
  const { name, traits } = store
  return { name, traits, open: (host) => new LinkedDocuments(store, link, host) }
}

class LinkedDocuments implements DocumentSession {
  readonly #link: InProcessLink
  readonly #host: DocumentHost
  readonly #far: DocumentSession

  constructor(store: DocumentStore, link: InProcessLink, host: DocumentHost) {
    this.#link = link
    this.#host = host
    this.#far = store.open({
      ...host,
      reconnected: () => void link.arrival('toClient', 'notifications').then(() => host.reconnected()),
    })
    link.onBreak = () => {
      host.broken()
      queueMicrotask(() => host.reconnected())
    }
  }

  get connectionEpoch(): number {
    return this.#link.breaks
  }

  get storeName(): string {
    return this.#far.storeName
  }

  prepare(): Promise<void> {
    return this.#link.call(this.#host.commandTimeoutMs, () => this.#far.prepare(), false)
  }

  read(key: string, timeoutMs: number): Promise<Snapshot> {
    return this.#link.call(timeoutMs, () => this.#far.read(key, timeoutMs), false)
  }

  replace(key: string, text: string, version: unknown, keepMs: number, timeoutMs: number): Promise<boolean> {
    const replace = () => this.#far.replace(key, text, version, keepMs, timeoutMs)
    return this.#link.call(timeoutMs, replace, true)
  }

  list(range: KeyRange, timeoutMs: number): Promise<DocumentPage> {
    const list = () => this.#far.list?.(range, timeoutMs) ?? Promise.reject(new Error('it does not list'))
    return this.#link.call(timeoutMs, list, false)
  }

  async close(): Promise<void> {
    await this.#link.close()
    await this.#far.close()
  }
}
