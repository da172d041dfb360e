import { isOpen, isSet } from '../engine/latch.js'
import type { ListFilter, ListPage, OperatorSession } from '../engine/session.js'
import type { Address, ObjectType } from '../engine/requests.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { foundIn } from '../objects/inspection.js'
import type { StoreClient } from '../store-client.js'
import { abortablePause } from '../util/timeouts.js'

/** One object that a listing found. */
export interface ListedLock {
  /** The name given to `getLock`, `getSemaphore` and so on. */
  readonly name: string
  /** What has that name. */
  readonly object: ObjectType
  /** Who holds it; of several, the one whose hold ends first. `null`: nobody does. */
  readonly holder: string | null
  readonly holderCount: number
  /** For how long the store keeps that hold unless it is renewed, milliseconds; 0 when nobody holds it. */
  readonly remainingMs: number
  /** How many entries its queue has, stale ones included; of a latch, how many clients wait. */
  readonly waiterCount: number
  /** The last fencing token; 0 when it is not known, and for latches. */
  readonly fencingToken: number
}

/** How far a listing has come. */
export interface ListingProgress {
  /** Entries of the store that were looked at; of Redis, keys. */
  readonly scanned: number
  /** About how many there are. */
  readonly total: number
  /** Objects that were yielded. */
  readonly found: number
  /** Entries under the names of locks that are none. */
  readonly foreign: number
  /** Whether all of the store was scanned. */
  readonly isComplete: boolean
}

export interface ListingRequest extends ListFilter {
  readonly limit: number
  readonly maxKeys: number
  readonly signal: AbortSignal | undefined
}

type Found = ListPage['found'][number]

const none: ListingProgress = { scanned: 0, total: 0, found: 0, foreign: 0, isComplete: false }

/** After each step the store has this many times as long for others as such a step usually takes. */
const restFactor = 19
/** How long the store works on reading one object, milliseconds, roughly. */
const readCostMs = 0.015
const readAtOnce = 50

/**
 * Objects of a store that are held or waited for, and latches that are closed, each once, in no order. Each iteration scans the store from the beginning, in
 * small steps that usually take about 5 % of its time.
 *
 * What is acquired or released meanwhile may be missing or listed; what is held throughout is listed. An iteration rejects with
 * `InvalidArgumentError` for a store with more than `maxKeys` keys, with `UnavailableError` and `RefusedError` when the store
 * does not reply or refuses a step, with `ClosedError` after `close()`, and with the signal's reason.
 */
export class LockListing implements AsyncIterable<ListedLock> {
  readonly #store: StoreClient
  readonly #operator: OperatorSession
  readonly #request: ListingRequest
  readonly #closing: AbortSignal
  #progress = none

  /** @internal Made by `holdfast.locks()`. @param closing - aborts with a `ClosedError` when the client closes */
  constructor(store: StoreClient, operator: OperatorSession, request: ListingRequest, closing: AbortSignal) {
    this.#store = store
    this.#operator = operator
    this.#request = request
    this.#closing = closing
  }

  /** How far the latest iteration has come. */
  get progress(): ListingProgress {
    return this.#progress
  }

  /** Yields what it finds; see the class. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ListedLock, void, undefined> {
    const { limit, pattern, contended } = this.#request
    const matches = matcherOf(pattern)
    const seen = new Set<string>()
    // Progress is that of the latest iteration, which may be another one by then.
    let yielded = 0
    this.#progress = none
    this.#assertGoingOn()
    await this.#store.firstUse.ready(anyAddress(this.#store))
    let cursor: string | null = null
    do {
      this.#assertGoingOn()
      const page: ListPage = await this.#operator.list(cursor, { pattern, contended })
      this.#count({ scanned: this.#progress.scanned + page.scanned, total: page.total })
      this.#checkSize(page)
      const fresh = page.found.filter(({ address }) => matches(address.name) && !seen.has(address.id))
      for (const { address } of fresh) seen.add(address.id)
      for (let i = 0; i < fresh.length; i += readAtOnce) {
        for (const found of await this.#readAll(fresh.slice(i, i + readAtOnce))) {
          if (contended && found.waiterCount === 0) continue
          this.#count({ found: this.#progress.found + 1 })
          yield found
          yielded += 1
          if (yielded >= limit) return
          this.#assertGoingOn()
        }
      }
      cursor = page.next
      const restMs = restFactor * (page.costMs + readCostMs * fresh.length)
      if (cursor !== null) await abortablePause(restMs, this.#ends)
    } while (cursor !== null)
    this.#assertGoingOn()
    this.#count({ isComplete: true })
  }

  get #ends(): readonly AbortSignal[] {
    const { signal } = this.#request
    return signal ? [this.#closing, signal] : [this.#closing]
  }

  #assertGoingOn(): void {
    for (const end of this.#ends) end.throwIfAborted()
  }

  /** The first step tells how large the store is. */
  #checkSize({ total }: ListPage): void {
    const { maxKeys } = this.#request
    if (total <= maxKeys) return
    throw new InvalidArgumentError(
      `${this.#store.storeName} has about ${total} keys, more than maxKeys (${maxKeys}), and a listing looks at each of them: ` +
        'pass a larger maxKeys, or Infinity, to list its locks all the same',
    )
  }

  async #readAll(page: readonly Found[]): Promise<ListedLock[]> {
    const found = await Promise.all(page.map((one) => this.#read(one)))
    return found.filter((one) => one !== null).filter(isInUse)
  }

  async #read({ address, object }: Found): Promise<ListedLock | null> {
    const { name } = address
    const nothing = { holder: null, holderCount: 0, remainingMs: 0, fencingToken: 0 }
    if (object === 'latch') {
      const latch = await this.#store.session.latches?.inspect(address, 0)
      if (latch?.kind !== 'latch') return this.#foreign()
      const { state, waiterCount } = latch
      if (waiterCount === 0 && !(isSet(state) && !isOpen(state))) return null
      return { name, object, ...nothing, waiterCount }
    }
    const reply = await this.#store.steps.inspect(address, 1)
    if (reply.kind === 'not-a-lock') return this.#foreign()
    const { holders, holderCount, waiterCount, token: fencingToken } = foundIn(reply, 'lock')
    const [first] = holders
    if (!first) return { name, object, ...nothing, fencingToken, waiterCount }
    const remainingMs = Math.max(0, first.ttlMs)
    return { name, object, holder: first.owner, holderCount, remainingMs, waiterCount, fencingToken }
  }

  #foreign(): null {
    this.#count({ foreign: this.#progress.foreign + 1 })
    return null
  }

  #count(change: Partial<ListingProgress>): void {
    this.#progress = { ...this.#progress, ...change }
  }
}

/** It only decides which server of a cluster is asked first. */
export const anyAddress = ({ names }: StoreClient): Address => names.locate('holdfast', 'lock')

/** What was found may be over by the time it is read. */
const isInUse = ({ object, holderCount, waiterCount }: ListedLock): boolean =>
  object === 'latch' || holderCount > 0 || waiterCount > 0

const anyText = Symbol('*')
const anyCharacter = Symbol('?')
type Part = string | typeof anyText | typeof anyCharacter

/** Whether a name matches a pattern: `*` stands for any text, `?` for one character, `\` has the next one mean itself. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const parts = partsOf(pattern)
  return (name) => matches(parts, Array.from(name))
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  const characters = Array.from(pattern)
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? ''
    if (character === '*') parts.push(anyText)
    else if (character === '?') parts.push(anyCharacter)
    // At the end a backslash means itself.
    else if (character === '\\') parts.push(characters[(i += 1)] ?? character)
    else parts.push(character)
  }
  return parts
}

/**
 * A mismatch lengthens only the text of the last `*`: what an earlier one could take, it can take too. So this needs at most one
 * step for each pair of a part and a character. A RegExp would try all combinations.
 */
function matches(parts: readonly Part[], characters: readonly string[]): boolean {
  let part = 0
  let at = 0
  let retry: { readonly part: number; readonly at: number } | undefined
  while (at < characters.length) {
    const wanted = parts[part]
    if (wanted === anyText) {
      part += 1
      retry = { part, at }
    } else if (wanted === anyCharacter || wanted === characters[at]) {
      part += 1
      at += 1
    } else {
      if (!retry) return false
      retry = { ...retry, at: retry.at + 1 }
      part = retry.part
      at = retry.at
    }
  }
  return parts.slice(part).every((rest) => rest === anyText)
}
