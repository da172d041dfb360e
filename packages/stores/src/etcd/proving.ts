import type { Entry } from '../sessions/index.js'
import { countdown } from './countdown.js'
import { madeOf } from './entries.js'
import { batchesOf, presenceOf, presentIn, type Made } from './presence.js'
import type { Requests } from './requests.js'
import type { Session } from './session.js'
import * as kv from './wire/kv.js'

export interface ProvingDeps {
  readonly requests: Requests
  readonly session: Session
  /** What makes the client known. */
  readonly ownKey: string
  /** Makes it known again, since the key is gone. */
  announceAgain(timeoutMs: number): Promise<void>
}

/** Keeps the session alive, and sees which of its entries are there: with two requests for up to 4,096 of them. */
export class Proving {
  readonly #deps: ProvingDeps

  constructor(deps: ProvingDeps) {
    this.#deps = deps
  }

  async prove(entries: readonly Entry[], timeoutMs: number): Promise<readonly boolean[]> {
    const left = countdown(timeoutMs)
    const [first = [], ...others] = batchesOf(entries.map(madeOf))
    const read = () => (first.length > 0 ? this.#look(first, left) : this.#readOwn(left))
    const proven = await this.#deps.session.prove(read, left)
    if (proven === null) return entries.map(() => false)
    const rest = await Promise.all(others.map((batch) => this.#look(batch, left)))
    return [proven, ...rest].flatMap(({ present }) => present)
  }

  async #look(batch: readonly Made[], left: () => number): Promise<Seen> {
    const reply = await this.#deps.requests.txn(presenceOf(batch), left())
    return { term: reply.term, present: presentIn(batch, reply) }
  }

  /** It needs a quorum, as any other read. */
  async #readOwn(left: () => number): Promise<Seen> {
    const { requests, ownKey } = this.#deps
    const { term, count } = await requests.range(kv.rangeOfKeyOnly(ownKey), left())
    if (count === 0) await this.#deps.announceAgain(left())
    return { term, present: [] }
  }
}

/** What a read that needs a quorum has seen. */
interface Seen {
  readonly term: number
  /** Of each entry of the batch. */
  readonly present: readonly boolean[]
}
