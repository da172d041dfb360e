import { AsyncResource } from 'node:async_hooks'
import { setMaxListeners } from 'node:events'
import {
  InvalidArgumentError,
  type EngineHost,
  type EngineSession,
  type Inbox,
  type LatchSession,
  type OperatorSession,
} from '@holdfast/core/engine'
import { addressing } from './address.js'
import { CoarseClock } from './coarse-clock.js'
import { DocumentCommands } from './commands.js'
import { Documents, type DocumentsDeps } from './documents.js'
import { DocumentFacts } from './facts.js'
import { latchDocuments, lockDocuments, sharedDocuments } from './kinds.js'
import { DocumentLatches } from './latches.js'
import { Mail } from './mail.js'
import { Objects } from './objects.js'
import { DocumentOperator, type ListingSession } from './operator.js'
import { Registration } from './registration.js'
import type { DocumentSession, DocumentStore } from './store.js'

/** No notification ever arrives: waiters look for themselves, and so does who gets mail. */
const inbox: Inbox = { isSubscribed: () => false, subscribe: () => Promise.resolve() }

/** How long closing waits for either request by which a store forgets the client, milliseconds. */
const withdrawWithinMs = 250

/** The session of one client at a store of documents. */
export class DocumentLocks implements EngineSession {
  readonly store: DocumentFacts
  readonly names = addressing
  readonly steps: DocumentCommands
  readonly inbox = inbox
  readonly registry: Registration
  readonly latches?: LatchSession
  readonly operator?: OperatorSession
  readonly #session: DocumentSession
  readonly #closing = new AbortController()

  constructor(store: DocumentStore, host: EngineHost, queue: boolean) {
    const { name: engine, traits } = store
    const { pollMs } = traits
    const session = store.open(host)
    this.#session = session
    const facts = new DocumentFacts(session, host.commandTimeoutMs)
    this.store = facts
    const clock = new CoarseClock(traits.clockStepMs)
    const closing = this.#closing.signal
    // Each pause of a step listens to it.
    setMaxListeners(0, closing)
    // What a step has done here belongs to the client, and not to the async context of the caller that it carried along.
    const context = new AsyncResource('HoldfastDocuments')
    const outsideAllCalls = (run: () => void): void => context.runInAsyncScope(run)
    const deps: DocumentsDeps = {
      engine,
      maxBytes: traits.maxBytes,
      clock,
      session,
      closing,
      read: (key, timeoutMs) => facts.read(key, timeoutMs),
      now: () => host.now(),
      outsideAllCalls,
    }
    const objects = new Objects({
      host,
      locks: new Documents(lockDocuments, deps),
      shared: new Documents(sharedDocuments, deps),
    })
    const hasTokens = traits.evicts !== true
    const listing = traits.lists && listingOf(session, engine)
    const mail = listing && new Mail({ host, documents: deps })
    this.steps = new DocumentCommands({
      host,
      engine,
      objects,
      session,
      clock,
      pollMs,
      queue,
      hasTokens,
      mail,
    })
    this.registry = new Registration({ host, session, facts, clock, mail })
    if (listing && mail) this.operator = new DocumentOperator({ host, session: listing, mail })
    if (queue) {
      const documents = new Documents(latchDocuments, deps)
      this.latches = new DocumentLatches({ host, engine, documents, clock, closing, pollMs })
    }
  }

  async prepare(): Promise<void> {
    await this.#session.prepare()
    await this.registry.register()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.operator) await this.registry.withdraw(withdrawWithinMs).catch(() => undefined)
    await this.#session.close()
  }
}

const isListing = (session: DocumentSession): session is ListingSession => session.list !== undefined

function listingOf(session: DocumentSession, engine: string): ListingSession {
  if (isListing(session)) return session
  throw new InvalidArgumentError(`the traits of the store ${engine} have lists, so its sessions need list()`)
}
