import { AsyncLocalStorage } from 'node:async_hooks'
import type { Hold } from './hold.js'
import type { LockKeys } from './keys.js'
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
  readonly #storage = new AsyncLocalStorage<Frame>()

  runInHold<T>(hold: Hold, fn: () => T): T {
    return this.#storage.run({ hold, outer: this.#storage.getStore() }, fn)
  }

  runInScope<T>(scope: Scope, fn: () => T): T {
    return this.#storage.run({ scope, outer: this.#storage.getStore() }, fn)
  }

  /**
   * The hold of this lock that a call here belongs to: live, or lost and not yet given up. One that was
   * released counts as none.
   */
  enclosingHold(keys: LockKeys): Hold | undefined {
    for (let frame = this.#storage.getStore(); frame; frame = frame.outer) {
      const hold = 'hold' in frame ? frame.hold : frame.scope.newestHold(keys)
      if (hold?.keys.lock === keys.lock && !hold.isReleased) return hold
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
}
