import type { Address } from '../engine/requests.js'
import type { Request } from '../options.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import type { Scope } from '../ownership/scope.js'
import type { Target } from '../ownership/target.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/with-timeout.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { limitOf, reenter } from '../waiting/re-entering.js'
import type { ReenteringDeps } from '../waiting/re-entering.js'
import type { Lease } from './lease.js'

/** A lock that was acquired, and the lease of this entry. */
export interface Acquired {
  readonly hold: Possession<Lease>
  readonly lease: Lease
}

export type Outcome = Acquired | NotAcquired

/** What an entrance needs of its client. */
export interface EntranceDeps extends ReenteringDeps {
  readonly frames: Frames<Possession<Lease>>
  /** Throws `ClosedError` once the client closes. */
  assertOpen(address: Address): void
  /**
   * Acquires under an owner of its own.
   *
   * @param wantedSince - when the caller wanted the object, if it had to wait for its turn in this process first
   */
  acquireAfresh(target: Target, request: Request, wantsToken: boolean, wantedSince?: number): Promise<Outcome>
}

/** Decides for each call whether it re-enters the hold of the running async context or acquires the lock afresh. */
export class Entrance {
  readonly #deps: EntranceDeps

  constructor(deps: EntranceDeps) {
    this.#deps = deps
  }

  /** Inside a scope, waits for earlier calls on this lock there, and keeps the lease for the scope's `unlock()`. */
  acquireInScope(target: Target, request: Request, wantsToken: boolean): Promise<Outcome> {
    const scope = this.#deps.frames.nearestScope()
    return scope
      ? this.#acquireInTurn(scope, target, request, wantsToken)
      : this.acquire(target, request, wantsToken)
  }

  acquire(target: Target, request: Request, wantsToken: boolean): Promise<Outcome> {
    const hold = this.#deps.frames.enclosingHold(target.address)
    return hold
      ? this.#acquireInside(hold, target, request, wantsToken)
      : this.#acquireAfresh(target, request, wantsToken)
  }

  async #acquireInTurn(
    scope: Scope<Possession<Lease>>,
    target: Target,
    request: Request,
    wantsToken: boolean,
  ): Promise<Outcome> {
    const startedAt = monotonicMs()
    const slot = scope.nextSlot(target.address)
    try {
      const limitMs = limitOf(request, this.#deps.settings)
      if (slot.ready && (await withTimeout(slot.ready, limitMs, request.signal)) === timedOut) {
        return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
      }
      const outcome = await this.acquire(target, withWaitLeft(request, startedAt), wantsToken)
      if ('lease' in outcome) scope.keep(outcome.hold, outcome.lease)
      return outcome
    } finally {
      slot.done()
    }
  }

  /** Inside a hold that may be released before this call's turn comes. */
  async #acquireInside(
    first: Possession<Lease>,
    target: Target,
    request: Request,
    wantsToken: boolean,
  ): Promise<Outcome> {
    const startedAt = monotonicMs()
    let hold: Possession<Lease> | undefined = first
    while (hold) {
      const lease = await reenter(this.#deps, hold, target, withWaitLeft(request, startedAt), wantsToken)
      if (lease) return { hold, lease }
      hold = this.#deps.frames.enclosingHold(target.address)
    }
    return this.#acquireAfresh(target, withWaitLeft(request, startedAt), wantsToken, startedAt)
  }

  #acquireAfresh(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<Outcome> {
    this.#deps.assertOpen(target.address)
    return this.#deps.acquireAfresh(target, request, wantsToken, wantedSince)
  }
}

/** The turn of a call among those of its scope did not come in time. */
export const notReachedTurn = ({ kind, address: { name } }: Target, waitedMs: number): NotAcquired => ({
  kind: 'not-acquired',
  name,
  objectKind: kind,
  owner: undefined,
  holder: undefined,
  position: 0,
  waitedMs,
})

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }
