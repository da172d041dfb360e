import type { Entry } from '../sessions/index.js'
import { countdown } from './countdown.js'
import { EtcdEntry, factsOf, madeOf, valueOf, type EntryFacts } from './entries.js'
import type { Requests } from './requests.js'
import type { Session } from './session.js'
import * as kv from './wire/kv.js'

/** What an entry says, and the revision that wrote it. */
export interface Written {
  readonly facts: EntryFacts
  readonly writtenAt: number
}

/**
 * Writes entries of the running session anew, on condition that they are as they were last seen. So a request of before that arrives later
 * changes nothing.
 */
export class Rewriting {
  readonly #requests: Requests
  readonly #session: Session
  /** By the keys of entries. */
  readonly #written = new Map<string, Written>()

  constructor(requests: Requests, session: Session) {
    this.#requests = requests
    this.#session = session
  }

  /** @returns `null`: it is gone */
  async rewrite(
    entry: Entry,
    change: (facts: EntryFacts) => EntryFacts,
    timeoutMs: number,
  ): Promise<EtcdEntry | null> {
    if (!(entry instanceof EtcdEntry) || entry.session !== this.#session.name) return null
    const left = countdown(timeoutMs)
    const { key, createdAt } = madeOf(entry)
    let known = this.#written.get(entry.key) ?? entry
    for (;;) {
      const facts = change(known.facts)
      const value = valueOf(facts)
      const conditions = [kv.isCreatedAt(key, createdAt), kv.isWrittenAt(key, known.writtenAt)]
      const put = kv.thenPut(kv.rewriteOf(key, value))
      const read = kv.thenRange(kv.rangeOfKey(key))
      const reply = await this.#requests.txn(kv.txnOfOperations(conditions, [put], [read]), left())
      if (reply.isDone) {
        const writtenAt = reply.revision
        this.note(entry, { facts, writtenAt })
        return new EtcdEntry(entry.queue, { key, value, createdAt, writtenAt }, writtenAt)
      }
      const [found] = kv.rangeAt(reply, 0).keys
      if (found?.createdAt !== createdAt) {
        this.forget(entry)
        return null
      }
      known = { facts: factsOf(found.value), writtenAt: found.writtenAt }
    }
  }

  /** The entry was written like this. */
  note({ key }: Entry, written: Written): void {
    this.#written.set(key, written)
  }

  forget({ key }: Entry): void {
    this.#written.delete(key)
  }

  /** The session has ended. */
  clear(): void {
    this.#written.clear()
  }
}
