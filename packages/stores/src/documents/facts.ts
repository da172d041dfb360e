import type { StoreFacts } from '@holdfast/core/engine'
import { keyOf, type ObjectAddress } from './address.js'
import type { DocumentSession, Snapshot } from './store.js'

/** Reads documents, and knows which data the last reply came from. */
export class DocumentFacts implements StoreFacts {
  readonly uptimeMs?: () => Promise<number | undefined>
  readonly #session: DocumentSession
  readonly #commandTimeoutMs: number
  /** Which data replied last, and before which break that was. */
  #lastReply: { readonly incarnation: string; readonly epoch: number } | undefined

  constructor(session: DocumentSession, commandTimeoutMs: number) {
    this.#session = session
    this.#commandTimeoutMs = commandTimeoutMs
    if (session.uptimeMs) this.uptimeMs = session.uptimeMs.bind(session)
  }

  get name(): string {
    return this.#session.storeName
  }

  get connectionEpoch(): number {
    return this.#session.connectionEpoch
  }

  async incarnation(address: ObjectAddress): Promise<string> {
    return (await this.read(keyOf(address), this.#commandTimeoutMs)).incarnation
  }

  knownIncarnation(): string | undefined {
    return this.#lastReply?.epoch === this.connectionEpoch ? this.#lastReply.incarnation : undefined
  }

  async read(key: string, timeoutMs: number): Promise<Snapshot> {
    const epoch = this.connectionEpoch
    const snapshot = await this.#session.read(key, timeoutMs)
    this.#lastReply = { incarnation: snapshot.incarnation, epoch }
    return snapshot
  }
}
