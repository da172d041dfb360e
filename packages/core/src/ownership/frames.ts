import { AsyncLocalStorage } from 'node:async_hooks'
import type { Hold } from '../holding/hold.js'
import type { LockKeys } from '../redis/keys.js'
import type { Scope } from './scope.js'

/** One link of the chain that an async call chain carries; links never change once made. */
type Frame =
  | { readonly hold: Hold; readonly outer: Frame | undefined }
  | { readonly scope: Scope; readonly outer: Frame | undefined }

/**
 * Knows what the running async context holds.
 *
 * What a task sees was fixed when the task began: siblings that began outside a hold never see it, and a task
 * that outlives it sees a hold that is over. `enterWith` is not used: it would leak into siblings.
 */
export class Frames {
  readonly #storage = new AsyncLocalStorage<Frame | undefined>()

  runInHold<T>(hold: Hold, fn: () => T): T {
    return this.#storage.run({ hold, outer: this.#liveFrame() }, fn)
  }

  runInScope<T>(scope: Scope, fn: () => T): T {
    return this.#storage.run({ scope, outer: this.#liveFrame() }, fn)
  }

  /** Runs code of the application that no caller's context is to reach, such as event listeners. */
  outside<T>(fn: () => T): T {
    return this.#storage.run(undefined, fn)
  }

  /**
   * The hold of this lock that a call here belongs to: live, or lost and not yet left. One that was released or left
   * counts as none.
   */
  enclosingHold(keys: LockKeys): Hold | undefined {
    for (let frame = this.#storage.getStore(); frame; frame = frame.outer) {
      const hold = 'hold' in frame ? frame.hold : frame.scope.newestHold(keys)
      if (hold?.keys.lock === keys.lock && !hold.isOver) return hold
    }
    return undefined
  }

  /** The innermost scope that has not ended. */
  nearestScope(): Scope | undefined {
    for (let frame = this.#storage.getStore(); frame; frame = frame.outer) {
      if ('scope' in frame && !frame.scope.isEnded) return frame.scope
    }
    return undefined
  }

  /** Frames that are over are left out of the chain, or a task that begins the next one like it would grow it for ever. */
  #liveFrame(): Frame | undefined {
    let frame = this.#storage.getStore()
    while (frame && ('hold' in frame ? frame.hold.isOver : frame.scope.isEnded)) frame = frame.outer
    return frame
  }
}
