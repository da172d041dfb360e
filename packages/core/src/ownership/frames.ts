import { AsyncLocalStorage } from 'node:async_hooks'
import type { Address } from '../engine/requests.js'
import type { CallSite } from './call-site.js'
import type { Possession } from './possession.js'
import type { Scope } from './scope.js'
import { Turns, type Body } from './turns.js'

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

  /** The innermost scope that has not ended. */
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
