import type { EngineHost } from '@holdfast/core/engine'
import type { DocumentKind } from './document-kind.js'
import { Documents, type DocumentsDeps } from './documents.js'

/** Between two looks into one's own mail, milliseconds: a store of documents calls nobody. */
const lookMs = { shortest: 200, longest: 300 }
/** For how long mail is kept. Who has not looked by then is frozen, or gone. */
const keepUs = 30_000_000
/** How many letters may wait for one client: a few reports. Each has some kilobytes at most. */
const mostLetters = 64

/** One thing that a client is told: a text of another client, or that one of its owners was evicted. */
export type Letter = { readonly text: string } | { readonly evicted: string }

/** The letters that wait for one client. */
interface Letters {
  letters: readonly Letter[]
  untilUs: number
}

const mailDocuments: DocumentKind<Letters, Letters> = {
  make: () => ({ letters: [], untilUs: 0 }),
  settle: (mail, nowUs) => {
    if (mail.untilUs <= nowUs) mail.letters = []
  },
  isEmpty: ({ letters }) => letters.length === 0,
  endUs: ({ untilUs }) => untilUs,
  write: (mail) => mail,
  read: ({ letters, untilUs }) => ({ letters, untilUs }),
}

/** What mail needs of its client and session. */
export interface MailDeps {
  readonly host: Pick<
    EngineHost,
    'clientId' | 'commandTimeoutMs' | 'watchdogTimeoutMs' | 'now' | 'onMessage' | 'revoked'
  >
  readonly documents: DocumentsDeps
}

/**
 * Letters from one client to another, in a document for each that gets some. A client looks into its own as long as it is registered,
 * so one that neither holds nor waits sends nothing.
 */
export class Mail {
  readonly #host: MailDeps['host']
  readonly #deps: DocumentsDeps
  readonly #documents: Documents<Letters, Letters>
  #registeredUntil = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor({ host, documents }: MailDeps) {
    this.#host = host
    this.#deps = documents
    this.#documents = new Documents(mailDocuments, documents)
    documents.closing.addEventListener('abort', () => clearTimeout(this.#timer), { once: true })
  }

  /** Looks every now and then, until the registration is over that was made just now. */
  watch(): void {
    const { watchdogTimeoutMs } = this.#host
    this.#registeredUntil = this.#host.now() + watchdogTimeoutMs
    if (this.#timer === undefined) this.#deps.outsideAllCalls(() => this.#schedule())
  }

  /**
   * Passes on what has come. Letters are dropped if it is not known whether they were taken out: none arrives twice.
   *
   * Never rejects: an outage is for those to report who need the store.
   */
  async collect(timeoutMs: number): Promise<void> {
    const taken = await this.#documents
      .change(ofClient(this.#host.clientId), timeoutMs, ({ content }) => {
        const { letters } = content
        content.letters = []
        return { kind: 'letters', letters } as const
      })
      .catch(() => undefined)
    if (taken?.kind !== 'letters') return
    for (const letter of taken.letters) {
      if ('text' in letter) this.#host.onMessage(letter.text)
      else this.#host.revoked(letter.evicted)
    }
  }

  /** @returns whether the client may get it; not if more waits for it than it can have looked at lately */
  async send(clientId: string, letter: Letter): Promise<boolean> {
    const sent = await this.#documents.change(
      ofClient(clientId),
      this.#host.commandTimeoutMs,
      ({ content, nowUs }) => {
        if (content.letters.length >= mostLetters) return false
        content.letters = [...content.letters, letter]
        content.untilUs = nowUs + keepUs
        return true
      },
    )
    return sent === true
  }

  #schedule(): void {
    const { shortest, longest } = lookMs
    this.#timer = setTimeout(() => void this.#look(), shortest + Math.random() * (longest - shortest))
    // This timer must not keep the process alive.
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    await this.collect(this.#host.commandTimeoutMs)
    this.#timer = undefined
    if (!this.#deps.closing.aborted && this.#host.now() < this.#registeredUntil) this.#schedule()
  }
}

const ofClient = (clientId: string) => ({ object: 'mail', name: clientId, id: clientId })
