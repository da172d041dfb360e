import { AsyncLocalStorage } from 'node:async_hooks'
import { titleFrom, titleOf, type Address, type Target } from '../engine/requests.js'
import { LockLostError, NotOwnerError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import { SerialQueue, type Background, type SerialSlot } from '../util/lists.js'
import { Turns, type CallSite, type Body } from './turns.js'
import type { Closing } from './closing.js'
import type { Possession, ScopedLease } from './possession.js'

/** One element of the chain that an async call chain carries; it never changes once made. */
type Frame = {
  readonly of: object
  readonly outer: Frame | undefined
} & ({ readonly hold: Possession; readonly body: Body | undefined } | { readonly scope: Scope })

/**
 * The chain of the running async context, with the frames of every client. One storage for all of them: before Node 24
 * each storage that was ever used slows down every async operation of the process, and closing a client would not help.
 */
const storage = new AsyncLocalStorage<Frame | undefined>()

/** Runs code of the application that must not see any caller's frames. */
export const outsideFrames = <T>(fn: () => T): T => storage.run(undefined, fn)

/**
 * Knows what the running async context holds of one client.
 *
 * What a task sees was fixed when the task began: siblings that began outside a hold never see it, and a task that
 * outlives it sees a hold that is over. `enterWith` is not used: it would leak into siblings.
 */
export class Frames {
  /** Runs a callback whose turn has come. To be awaited. @param body - none in permits, which no call re-enters */
  runInBody<T>(hold: Possession, body: Body | undefined, fn: () => T | PromiseLike<T>): T | PromiseLike<T> {
    return storage.run({ of: this, hold, body, outer: liveFrame() }, begun, fn)
  }

  /**
   * Joins the bodies of a hold, to run inside the innermost one around the caller.
   *
   * @param call - where it was called
   * @returns `undefined` if it would wait for a body that waits for one around the caller
   */
  joinHold(hold: Possession, isShared: boolean, call: CallSite | undefined): Body | undefined {
    hold.bodies ??= new Turns()
    return (this.#bodyAround(hold)?.inside ?? hold.bodies).join(isShared, call)
  }

  /** The same in a scope. */
  runInScope<T>(scope: Scope, fn: () => T | PromiseLike<T>): T | PromiseLike<T> {
    return storage.run({ of: this, scope, outer: liveFrame() }, begun, fn)
  }

  /** The same function, which runs in the context of this call; of other storages it sees those of its own caller. */
  bind<T, A extends unknown[], R>(fn: (this: T, ...args: A) => R): (this: T, ...args: A) => R {
    const frame = liveFrame()
    return function (this: T, ...args: A): R {
      return storage.run(frame, () => fn.apply(this, args))
    }
  }

  /** Runs code of the application that must not see a caller's context, such as event listeners. */
  outside<T>(fn: () => T): T {
    return outsideFrames(fn)
  }

  /**
   * The hold of this lock that a call here belongs to: live, or lost and not yet left. One that was released or left
   * counts as none, and so do permits: a store may keep a semaphore where it keeps the lock of that name.
   */
  enclosingHold(address: Address): Possession | undefined {
    for (let frame = storage.getStore(); frame; frame = frame.outer) {
      if (!this.#isOwn(frame)) continue
      const hold = 'hold' in frame ? frame.body && frame.hold : frame.scope.newestHold(address)
      if (hold?.address.id === address.id && !hold.isOver) return hold
    }
    return undefined
  }

  nearestScope(): Scope | undefined {
    for (let frame = storage.getStore(); frame; frame = frame.outer) {
      if (this.#isOwn(frame) && 'scope' in frame && !frame.scope.isEnded) return frame.scope
    }
    return undefined
  }

  /** Whether a hold that is live, or a scope that has not ended, is around the caller. */
  get isInside(): boolean {
    for (let frame = storage.getStore(); frame; frame = frame.outer) {
      if (!this.#isOwn(frame)) continue
      if ('hold' in frame ? !frame.hold.isOver && !frame.hold.loss : !frame.scope.isEnded) return true
    }
    return false
  }

  #bodyAround(hold: Possession): Body | undefined {
    for (let frame = storage.getStore(); frame; frame = frame.outer) {
      if ('hold' in frame && frame.hold === hold && frame.body?.hasBegun) return frame.body
    }
    return undefined
  }

  #isOwn(frame: Frame): boolean {
    return frame.of === this
  }
}

/**
 * Calls it, and has what it returns begin in the running context, too: a query of knex or Prisma begins when it is awaited. The promise of an
 * `async` function has begun already.
 */
function begun<T>(fn: () => T | PromiseLike<T>): T | PromiseLike<T> {
  const result = fn()
  const hasBegun = result instanceof Promise && result.then === Promise.prototype.then
  return hasBegun ? result : awaited(result)
}

const awaited = async <T>(result: T | PromiseLike<T>): Promise<T> => await result

/** Skips frames that are over; otherwise a task that keeps starting its successor would grow the chain without bound. */
function liveFrame(): Frame | undefined {
  let frame = storage.getStore()
  while (frame && ('hold' in frame ? frame.hold.isOver : frame.scope.isEnded)) frame = frame.outer
  return frame
}

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
