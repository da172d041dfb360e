import type { AcquireRequest } from '@holdfast/core/engine'
import type { QueueAddress } from './address.js'
import type { Entry } from './store.js'

/**
 * What may become of a place that another one of this client waits behind. It got in, or gave back permits; its entry is gone; or it left a
 * lock that it held, as the store has confirmed of this entry.
 */
export type Move = { readonly kind: 'held' | 'gone' } | { readonly kind: 'left'; readonly entry: Entry }

/**
 * What this client knows of one of its owners. Empty, it is as if there were none.
 *
 * | It has                | Then                                                                        |
 * | --------------------- | --------------------------------------------------------------------------- |
 * | nothing               | it is empty: a request came, and left nothing                               |
 * | a doubt               | the request to enter got no reply: an entry may be there                    |
 * | an entry              | it waits, and something is watched; or it holds (`isHeld`), until `untilMs` |
 */
export class Place {
  readonly owner: string
  readonly address: QueueAddress
  entry: Entry | undefined
  /** The session in which an entry may be that got no reply. */
  doubt: string | undefined
  isHeld = false
  /** Of the hold. */
  token = 0
  /** Whether others may have got in since its entry was made. */
  hasWaited = false
  /** The hold count of a lock. */
  count = 1
  /** When the lease ends, by the clock of the host. */
  untilMs = -Infinity
  /** The longest lease that was wanted. */
  leaseMs = 0
  /** Of the last request that may queue. */
  grantLeaseMs = 0
  proof = ''
  /** As the last request said: how many permits it wants, and how many there are. */
  wanted = 1
  size = 1
  brake: NodeJS.Timeout | undefined
  /** Forgets what it waits for. */
  stopWatching: (() => void) | undefined
  /** Whether that is any change of the queue. */
  watchesAll = false
  /** Forgets that it looks again when its semaphore is resized. */
  leaveSize: (() => void) | undefined
  /** The entry behind which this one waited when that was marked already. */
  passedMark: string | undefined
  readonly #followers = new Set<(move: Move) => void>()
  #last: Promise<unknown> = Promise.resolve()
  #steps = 0

  constructor(owner: string, address: QueueAddress) {
    this.owner = owner
    this.address = address
  }

  get isShared(): boolean {
    return this.address.object !== 'lock'
  }

  get isEmpty(): boolean {
    return this.entry === undefined && this.doubt === undefined && this.#steps === 0
  }

  /** Takes over what a request wants for the time after it. */
  adopt({ count, size, grantLeaseMs, proof, entryTtlMs }: AcquireRequest): void {
    this.wanted = size === undefined ? 1 : count
    this.size = size ?? 1
    if (entryTtlMs === 0) return
    this.grantLeaseMs = grantLeaseMs
    this.proof = proof
  }

  /** Runs a step after those before it: the steps of one owner never overlap. */
  inTurn<T>(step: () => Promise<T>): Promise<T> {
    this.#steps += 1
    const run = this.#last.then(step).finally(() => (this.#steps -= 1))
    this.#last = run.catch(() => undefined)
    return run
  }

  /** Calls back whenever it gets in, gives back permits, or goes. Returns what ends that. */
  follow(callback: (move: Move) => void): () => void {
    this.#followers.add(callback)
    return () => this.#followers.delete(callback)
  }

  moved(move: Move): void {
    for (const follower of [...this.#followers]) follower(move)
  }

  /** It waits for nothing any more. */
  unwatch(): void {
    this.stopWatching?.()
    this.leaveSize?.()
    this.stopWatching = this.leaveSize = undefined
  }

  /** @param last - of those that wait behind it */
  clear(last: Move = { kind: 'gone' }): void {
    this.unwatch()
    clearTimeout(this.brake)
    this.brake = undefined
    this.entry = undefined
    this.doubt = undefined
    this.watchesAll = false
    this.passedMark = undefined
    this.isHeld = false
    this.hasWaited = false
    this.count = 1
    this.untilMs = -Infinity
    this.leaseMs = 0
    this.moved(last)
  }
}
