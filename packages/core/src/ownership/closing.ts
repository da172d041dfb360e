import { ClosedError } from '../errors/errors.js'
import { monotonicMs } from '../time/time.js'
import { withTimeout } from '../util/timeouts.js'

/** What is around the running call. */
export interface Surroundings {
  /** Whether a live hold or scope is, so that a drain lets the call end its work. */
  readonly isInside: boolean
}

/** What a client has under way when it closes. */
export interface UnderWay {
  readonly holds: {
    readonly size: number
    /** Resolves when there is none, and after `withinMs` at the latest. */
    drained(withinMs: number): Promise<void>
  }
  readonly waits: {
    /** Ends waits with `ClosedError`: all, or those that a call outside of all holds and scopes began. */
    close(which: 'all' | 'outside'): void
  }
}

/**
 * How a client closes, for all that begins something on its behalf.
 *
 * | State    | true in it                                                     | leaves it on                                |
 * | -------- | -------------------------------------------------------------- | ------------------------------------------- |
 * | open     | calls are served                                               | close → draining                            |
 * | draining | calls inside a live hold or scope are served, others refused   | no hold and no scope left, time over → over |
 * | over     | all calls are refused                                          | -                                           |
 */
export class Closing {
  readonly #frames: Surroundings
  #state: 'open' | 'draining' | 'over' = 'open'
  #scopes = 0
  #onScopesEnded: (() => void) | undefined

  /** @param frames - what the running async context holds of the client */
  constructor(frames: Surroundings) {
    this.#frames = frames
  }

  /** @throws `ClosedError` once the client closes, and for a call inside a hold or scope once its drain is over */
  assertOpen(lockName?: string): void {
    if (this.#state === 'open' || (this.#state === 'draining' && this.#frames.isInside)) return
    throw new ClosedError(`the Holdfast client is ${this.#state === 'draining' ? closing : 'closed'}`, {
      lockName,
    })
  }

  scopeBegan(): void {
    this.#scopes++
  }

  scopeEnded(): void {
    this.#scopes--
    if (this.#scopes === 0) this.#onScopesEnded?.()
  }

  /** Refuses new work, and gives holders and scopes this time to end theirs, which may need further locks. */
  async drain({ holds, waits }: UnderWay, withinMs: number): Promise<void> {
    this.#state = 'draining'
    waits.close('outside')
    const until = monotonicMs() + withinMs
    for (let leftMs = withinMs; leftMs > 0 && (holds.size > 0 || this.#scopes > 0);) {
      await holds.drained(leftMs)
      leftMs = Math.ceil(until - monotonicMs())
      if (this.#scopes === 0 || leftMs <= 0) continue
      await withTimeout(new Promise<void>((resolve) => (this.#onScopesEnded = resolve)), leftMs)
      leftMs = Math.ceil(until - monotonicMs())
    }
    this.#state = 'over'
    waits.close('all')
  }
}

const closing =
  'closing: only calls inside withLock, withPermits, lease.run or holdfast.scope are still served'
