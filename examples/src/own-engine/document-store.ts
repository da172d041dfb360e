import { randomUUID } from 'node:crypto'

/** Documents, each of which can be replaced on condition that it was not changed since it was read. */
export interface DocumentStore {
  /** Names the running store that has the data: another once the data was lost. */
  readonly id: string
  /**
   * Replaces a document by what `change` makes of it at the store's time, atomically. `change` runs again when another client
   * was faster. Rejects when the signal aborts, though the document may still be replaced.
   */
  update<T>(key: string, signal: AbortSignal, change: Change<T>): Promise<T>
}

/** @param text - the document, '' when there is none */
export type Change<T> = (text: string, nowMs: number) => { readonly text: string; readonly result: T }

/** A table in the memory of this process. It stands for a row in a database, memcached, DynamoDB, an object store, … */
export class DocumentTable implements DocumentStore {
  readonly id = randomUUID()
  readonly #documents = new Map<string, { readonly text: string; readonly version: number }>()

  async update<T>(key: string, signal: AbortSignal, change: Change<T>): Promise<T> {
    for (;;) {
      const { text, version } = await this.#read(key)
      signal.throwIfAborted()
      const changed = change(text, performance.now())
      if (changed.text === text || (await this.#replace(key, changed.text, version))) return changed.result
    }
  }

  #read(key: string): Promise<{ readonly text: string; readonly version: number }> {
    return Promise.resolve(this.#documents.get(key) ?? { text: '', version: 0 })
  }

  #replace(key: string, text: string, version: number): Promise<boolean> {
    const isCurrent = (this.#documents.get(key)?.version ?? 0) === version
    if (isCurrent) this.#documents.set(key, { text, version: version + 1 })
    return Promise.resolve(isCurrent)
  }
}
