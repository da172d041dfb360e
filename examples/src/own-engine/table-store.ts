import type { DocumentSession, DocumentStore, Snapshot } from '@holdfast/documents'

interface Row {
  readonly text: string
  readonly version: number
}

/** A table in the memory of this process. It stands for a row with a version, DynamoDB, an object store, … */
export class TableStore implements DocumentStore {
  readonly name = 'table'
  readonly traits = { survives: 'nothing', pollMs: [20, 40], clockStepMs: 1, maxBytes: 1_000_000 } as const
  readonly #rows = new Map<string, Row>()
  #versions = 0

  open(): DocumentSession<number> {
    return {
      // With a connection that can break, this grows whenever it does.
      connectionEpoch: 0,
      storeName: 'the table',
      prepare: () => Promise.resolve(),
      read: (key) => Promise.resolve(this.#read(key)),
      replace: (key, text, version) => Promise.resolve(this.#replace(key, text, version)),
      close: () => Promise.resolve(),
    }
  }

  #read(key: string): Snapshot<number> {
    const { text, version } = this.#rows.get(key) ?? { text: '', version: 0 }
    return { text, version, nowUs: Date.now() * 1_000, incarnation: 'the only one' }
  }

  #replace(key: string, text: string, version: number): boolean {
    if ((this.#rows.get(key)?.version ?? 0) !== version) return false
    if (text === '') this.#rows.delete(key)
    else this.#rows.set(key, { text, version: ++this.#versions })
    return true
  }
}
