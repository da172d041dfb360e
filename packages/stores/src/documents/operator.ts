import type {
  ConnectedClient,
  EngineHost,
  ListFilter,
  ListPage,
  OperatorSession,
} from '@holdfast/core/engine'
import { addressOfKey, type ObjectAddress } from './address.js'
import { decode } from './codec.js'
import type { ObjectKind } from './document-kind.js'
import { latchDocuments, lockDocuments, sharedDocuments } from './kinds.js'
import type { Mail } from './mail.js'
import { clientPrefix, readClient } from './registration.js'
import type { DocumentPage, DocumentSession } from './store.js'

/** How many documents one step of a listing reads. */
const pageSize = 250

/** A session whose documents can be listed. */
export type ListingSession = DocumentSession & Required<Pick<DocumentSession, 'list'>>

/** What operators need of their client's session. */
export interface DocumentOperatorDeps {
  readonly host: Pick<EngineHost, 'commandTimeoutMs' | 'now'>
  readonly session: ListingSession
  readonly mail: Mail
}

/** Steps for operators, on a store that can list its documents. */
export class DocumentOperator implements OperatorSession {
  readonly #deps: DocumentOperatorDeps

  constructor(deps: DocumentOperatorDeps) {
    this.#deps = deps
  }

  async list(cursor: string | null, { contended }: ListFilter): Promise<ListPage> {
    const { host } = this.#deps
    const startedAt = host.now()
    const page = await this.#page('', cursor)
    const found = page.documents.flatMap(({ key, text }) => {
      const address = addressOfKey(key)
      return address && isListed(address, text, contended) ? [{ address, object: address.object }] : []
    })
    const { documents, total } = page
    return { found, scanned: documents.length, total, costMs: host.now() - startedAt, next: nextOf(page) }
  }

  async clients(): Promise<readonly ConnectedClient[]> {
    const clients: ConnectedClient[] = []
    for (let cursor: string | null = null; ;) {
      const page: DocumentPage = await this.#page(clientPrefix, cursor)
      for (const { key, text } of page.documents) {
        const client = readClient(text, page.nowUs)
        if (client) clients.push({ clientId: key.slice(clientPrefix.length), client })
      }
      cursor = nextOf(page)
      if (cursor === null) return clients
    }
  }

  async send(clientIds: readonly string[], text: string): Promise<readonly boolean[]> {
    const { mail } = this.#deps
    return Promise.all(
      clientIds.map(
        async (clientId) => (await this.#isRegistered(clientId)) && mail.send(clientId, { text }),
      ),
    )
  }

  async #isRegistered(clientId: string): Promise<boolean> {
    const { host, session } = this.#deps
    const { text, nowUs } = await session.read(clientPrefix + clientId, host.commandTimeoutMs)
    return readClient(text, nowUs) !== null
  }

  #page(prefix: string, after: string | null): Promise<DocumentPage> {
    const { host, session } = this.#deps
    return session.list({ prefix, after, limit: pageSize }, host.commandTimeoutMs)
  }
}

/** Where the next page goes on; `null`: that was the last one. */
const nextOf = ({ documents }: DocumentPage): string | null =>
  documents.length < pageSize ? null : (documents.at(-1)?.key ?? null)

/** Whether the object may be held or waited for. What is due has not ended here: whoever reads it next does that. */
function isListed(address: ObjectAddress, text: string, contended: boolean): boolean {
  const isIn = <Content, Written>(kind: ObjectKind<Content, Written>): boolean => {
    const decoded = decode(kind, address.id, text)
    // Data of something else are counted by whoever looks at them.
    if (decoded.kind === 'not-a-lock') return true
    return contended ? kind.hasQueue(decoded.content) : kind.isInUse(decoded.content)
  }
  switch (address.kind) {
    case 'lock':
      return isIn(lockDocuments)
    case 'shared':
      return isIn(sharedDocuments)
    case 'latch':
      return isIn(latchDocuments)
  }
}
