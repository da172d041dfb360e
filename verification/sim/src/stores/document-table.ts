import { ClosedError, UnavailableError } from '@holdfast/core/engine'
import type {
  DocumentHost,
  DocumentPage,
  DocumentSession,
  DocumentStore,
  DocumentTraits,
  KeyRange,
  Snapshot,
} from '@holdfast/stores/documents'

/** More than are made in a tenth of a second. */
const journaled = 1_000

interface Row {
  readonly text: string
  readonly version: number
  readonly untilMs: number
}

export interface TableOptions {
  /** How coarse its clock is, milliseconds. */
  readonly clockStepMs?: number
  /** For how long nobody enters after a loss of data, milliseconds. */
  readonly graceMs?: number
  readonly maxBytes?: number
  readonly evicts?: true
  readonly pollMs?: readonly [number, number]
  /** Unlike that of any other. */
  readonly id?: string
}

/** A store of documents in the memory of its test. Requests and replies take a turn of the event loop each. */
export class DocumentTable implements DocumentStore {
  readonly name = 'table'
  readonly traits: DocumentTraits
  /** By key. */
  readonly rows = new Map<string, Row>()
  reads = 0
  replacements = 0
  /** Added to the clock. */
  offsetMs = 0
  /** So many of the next requests are carried out, and their replies lost. */
  repliesToLose = 0
  /** Whether this replacement is carried out, and its reply lost. */
  losesReplyTo: (key: string, text: string) => boolean = () => false
  /** Called before a document is replaced; a promise holds the replacement up. */
  beforeReplacing: (key: string, text: string) => Promise<void> | void = () => undefined
  readonly #graceMs: number
  /** Unlike that of any other. */
  readonly id: string
  readonly #sessions = new Set<TableSession>()
  /** What there was before each of the last replacements, in their order. */
  #journal: { readonly atMs: number; readonly key: string; readonly before: Row | undefined }[] = []
  #versions = 0
  #incarnation = 1
  #opensAtMs = -Infinity

  constructor({
    clockStepMs = 1,
    graceMs = 100,
    maxBytes = 1_000_000,
    evicts,
    pollMs = [20, 40],
    id = 'table',
  }: TableOptions = {}) {
    this.#graceMs = graceMs
    this.id = id
    this.traits = {
      survives: 'nothing',
      ...(evicts && { evicts }),
      pollMs,
      clockStepMs,
      maxBytes,
      lists: true,
      commandsPerCycle: { uncontended: 4, contended: 8 },
    }
  }

  open(host: DocumentHost): DocumentSession<number> {
    const session = new TableSession(this, host, () => this.#sessions.delete(session))
    this.#sessions.add(session)
    return session
  }

  get commands(): number {
    return this.reads + this.replacements
  }

  /** The true time, milliseconds. */
  get trueMs(): number {
    return performance.timeOrigin + performance.now() + this.offsetMs
  }

  read(key: string): Snapshot<number> {
    // By the clock, whatever else a client does.
    if (!key.startsWith('mail:')) this.reads += 1
    const { text = '', version = 0 } = this.#row(key) ?? {}
    const opensInMs = Math.max(0, this.#opensAtMs - this.trueMs)
    return { text, version, nowUs: this.#nowUs, incarnation: `${this.id}.${this.#incarnation}`, opensInMs }
  }

  replace(key: string, text: string, version: number, keepMs: number): boolean {
    this.replacements += 1
    if (keepMs < 0) throw new RangeError(`keepMs is ${keepMs}`)
    if ((this.#row(key)?.version ?? 0) !== version) return false
    this.#journal.push({ atMs: this.trueMs, key, before: this.rows.get(key) })
    if (this.#journal.length > 2 * journaled) this.#journal = this.#journal.slice(-journaled)
    if (text === '') this.rows.delete(key)
    else this.put(key, text, keepMs)
    return true
  }

  /** Puts a document there, whatever there is. */
  put(key: string, text: string, keepMs = Infinity): void {
    this.#versions += 1
    this.rows.set(key, { text, version: this.#versions, untilMs: this.trueMs + keepMs })
  }

  list({ prefix, after, limit }: KeyRange): DocumentPage {
    this.reads += 1
    const keys = [...this.rows.keys()].filter((key) => this.#row(key)).sort()
    const wanted = keys.filter((key) => key.startsWith(prefix) && (after === null || key > after))
    const documents = wanted.slice(0, limit).map((key) => ({ key, text: this.rows.get(key)?.text ?? '' }))
    return { documents, nowUs: this.#nowUs, total: keys.length }
  }

  /** All documents whose time is not over. */
  live(): readonly { readonly key: string; readonly text: string }[] {
    return [...this.rows.keys()].flatMap((key) => {
      const row = this.#row(key)
      return row ? [{ key, text: row.text }] : []
    })
  }

  /** Loses everything, while all stay connected. */
  wipe(): void {
    this.rows.clear()
    this.#begin()
  }

  /** A table takes over that has not seen what was written within so many milliseconds. */
  failOver(lagMs: number): void {
    const unseen = this.#journal.filter(({ atMs }) => atMs > this.trueMs - lagMs).reverse()
    for (const { key, before } of unseen) {
      if (before) this.rows.set(key, before)
      else this.rows.delete(key)
    }
    this.#begin()
  }

  #begin(): void {
    this.#journal = []
    this.#incarnation += 1
    this.#opensAtMs = this.trueMs + this.#graceMs
    for (const { host } of this.#sessions) host.reconnected()
  }

  get #nowUs(): number {
    const { clockStepMs } = this.traits
    return clockStepMs > 1
      ? Math.floor(this.trueMs / clockStepMs) * clockStepMs * 1_000
      : Math.floor(this.trueMs * 1_000)
  }

  #row(key: string): Row | undefined {
    const row = this.rows.get(key)
    return row && row.untilMs > this.trueMs ? row : undefined
  }
}

const replyLost = () => new UnavailableError("the table's reply was lost", { engine: 'table' })

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

class TableSession implements DocumentSession<number> {
  readonly connectionEpoch = 0
  readonly storeName: string
  readonly host: DocumentHost
  readonly #table: DocumentTable
  readonly #onClose: () => void
  #isClosed = false

  constructor(table: DocumentTable, host: DocumentHost, onClose: () => void) {
    this.#table = table
    this.storeName = `the ${table.id}`
    this.host = host
    this.#onClose = onClose
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  read(key: string): Promise<Snapshot<number>> {
    return this.#travel(() => this.#table.read(key))
  }

  async replace(key: string, text: string, version: number, keepMs: number): Promise<boolean> {
    await this.#table.beforeReplacing(key, text)
    const isReplaced = await this.#travel(() => this.#table.replace(key, text, version, keepMs))
    if (this.#table.losesReplyTo(key, text)) throw replyLost()
    return isReplaced
  }

  list(range: KeyRange): Promise<DocumentPage> {
    return this.#travel(() => this.#table.list(range))
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#onClose()
    return Promise.resolve()
  }

  async #travel<T>(carryOut: () => T): Promise<T> {
    await turn()
    this.#check()
    const result = carryOut()
    await turn()
    this.#check()
    if (this.#table.repliesToLose === 0) return result
    this.#table.repliesToLose -= 1
    throw replyLost()
  }

  #check(): void {
    if (this.#isClosed) throw new ClosedError('the client is closed')
  }
}
