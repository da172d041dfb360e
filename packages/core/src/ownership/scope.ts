import { titleFrom, titleOf, type Address, type Target } from '../engine/requests.js'
import { LockLostError, NotOwnerError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { Background } from '../util/background.js'
import { SerialQueue, type SerialSlot } from '../util/lists.js'
import type { Closing } from './closing.js'
import type { Possession, ScopedLease } from './possession.js'

/** The client of a scope. */
export interface ScopingClient {
  readonly events: Events
  readonly background: Background
  readonly closing: Closing
}

interface Held {
  readonly hold: Possession
  readonly lease: ScopedLease
}

/**
 * What `lock()` and `tryLock()` acquired inside one `holdfast.scope()`, newest last, per lock.
 *
 * All tasks inside share it, as one thread would. Calls on one lock run one after another, so that two tasks that both
 * find the lock free do not wait for each other.
 */
export class Scope {
  readonly #client: ScopingClient
  readonly #held = new Map<string, Held[]>()
  readonly #queues = new Map<string, SerialQueue>()
  #isEnded = false

  constructor(client: ScopingClient) {
    this.#client = client
    client.closing.scopeBegan()
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** The caller's slot among the calls on one lock. */
  nextSlot({ id }: Address): Pick<SerialSlot, 'ready' | 'done'> {
    const queue = this.#queues.get(id) ?? new SerialQueue()
    this.#queues.set(id, queue)
    const slot = queue.next()
    return {
      ready: slot.ready,
      done: () => {
        slot.done()
        if (queue.isIdle) this.#queues.delete(id)
      },
    }
  }

  /**
   * Leaves the newest lease of this kind that the scope made, after earlier calls on the object.
   *
   * @param multiLock - the multi lock that made it; without one, the object itself did
   */
  async unlock(target: Target, multiLock?: string): Promise<void> {
    const slot = this.nextSlot(target.address)
    try {
      await slot.ready
      const newest = this.#openOnes(target.address)
        .filter(({ lease }) => lease.kind === target.kind && lease.multiLock === multiLock)
        .at(-1)
      if (!newest) throw nothingLeftToUnlock(target)
      await newest.lease.unlock()
    } finally {
      slot.done()
    }
  }

  newestHold(address: Address): Possession | undefined {
    return this.#openOnes(address).at(-1)?.hold
  }

  /**
   * Keeps a lease for `unlock()`.
   *
   * @throws `NotOwnerError` after the scope's end: then the lease is left at once, and its caller must not go on as if it had it
   */
  keep(hold: Possession, lease: ScopedLease): void {
    const { address } = hold
    if (this.#isEnded) {
      this.#client.background.run(this.#releaseLeaked({ hold, lease }))
      throw acquiredTooLate(lease)
    }
    this.#held.set(address.id, [...this.#openOnes(address), { hold, lease }])
  }

  /** Leaves what is still held, newest first. */
  async end(): Promise<void> {
    this.#isEnded = true
    const leaked = [...this.#held.values()].flat().filter(({ lease }) => !lease.isLeft)
    await Promise.all(leaked.reverse().map((held) => this.#releaseLeaked(held)))
    this.#client.closing.scopeEnded()
  }

  async #releaseLeaked({ hold, lease }: Held): Promise<void> {
    const { events } = this.#client
    const { name, kind, owner } = lease
    if (!hold.loss) events.emit('leaked', { name, kind, owner, reason: 'scope-ended' })
    try {
      await lease.unlock()
    } catch (error) {
      if (!(error instanceof LockLostError)) events.emitError(error)
    }
  }

  /** Forgets what was left. */
  #openOnes({ id }: Address): readonly Held[] {
    const held = this.#held.get(id)
    if (!held) return []
    const open = held.filter(({ lease }) => !lease.isLeft)
    if (open.length > 0) this.#held.set(id, open)
    else this.#held.delete(id)
    return open
  }
}

/**
 * The error for an `unlock()` outside a scope.
 *
 * @param isInside - whether a callback in a hold of this object called it
 */
export const nothingToUnlock = (target: Target, isInside: boolean): NotOwnerError =>
  new NotOwnerError(
    isInside
      ? `nothing to unlock: withLock releases ${titleOf(target)} by itself when its callback ends, and inside lease.run it is ` +
          'lease.unlock() that does. unlock() of a lock only undoes a lock() in the same holdfast.scope()'
      : `nothing to unlock: unlock() of ${titleOf(target)} undoes a lock() in the same holdfast.scope(), and there is none here. ` +
          'Outside a scope keep the lease and release that: const lease = await lock.lock(), then await lease.unlock(); or use ' +
          'withLock(fn). A lease that was not kept stays held until the client is closed or forceUnlock() evicts its owner',
    { lockName: target.address.name },
  )

const acquiredTooLate = ({ name, kind, owner }: ScopedLease): NotOwnerError =>
  new NotOwnerError(
    `${titleFrom(kind, name)} was acquired only after the holdfast.scope() of this call had ended, and released at once. ` +
      'Await each lock() inside its scope, or use withLock(fn), which needs none',
    { lockName: name, owner },
  )

const nothingLeftToUnlock = (target: Target): NotOwnerError =>
  new NotOwnerError(
    `nothing to unlock: no lock() of ${titleOf(target)} in this holdfast.scope() is left to undo. Call unlock() once for each ` +
      'lock(); a withLock around it releases by itself',
    { lockName: target.address.name },
  )
