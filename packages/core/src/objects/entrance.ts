import type { Closing } from '../ownership/closing.js'
import type { Request } from '../options/options.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import { callSite } from '../ownership/call-site.js'
import type { Scope } from '../ownership/scope.js'
import type { Target } from '../engine/requests.js'
import type { Body } from '../ownership/turns.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { notReplied } from '../waiting/outcome.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { joinTurns, limitOf, reenter, untilTurn } from '../waiting/turn.js'
import type { ReenteringDeps } from '../waiting/turn.js'
import type { Lease } from './lease.js'

/** A lock that was entered, and the lease of this entry. */
export interface Entered {
  readonly hold: Possession<Lease>
  readonly lease: Lease
  /** Of a callback that entered a hold around it: it has its turn. */
  readonly body?: Body
}

export type Outcome = Entered | NotAcquired

/** Acquires locks under owners of their own. */
export interface LockAcquirer {
  /** @param wantedSince - when the caller wanted the lock, if it had to wait for its turn in this process first */
  acquire(target: Target, request: Request, wantsToken: boolean, wantedSince?: number): Promise<Outcome>
}

/** What an entrance needs of its client. */
export interface EntranceDeps extends ReenteringDeps {
  readonly frames: Frames<Possession<Lease>>
  readonly closing: Closing
  readonly acquirer: LockAcquirer
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
      : this.#acquire(target, request, wantsToken, false)
  }

  /** For a callback. Inside a hold of this lock, waits until no other callback there is in its way. */
  acquireForBody(target: Target, request: Request, wantsToken: boolean): Promise<Outcome> {
    return this.#acquire(target, request, wantsToken, true)
  }

  #acquire(target: Target, request: Request, wantsToken: boolean, isForBody: boolean): Promise<Outcome> {
    const hold = this.#deps.frames.enclosingHold(target.address)
    if (!hold) return this.#acquireAfresh(target, request, wantsToken)
    return request.reentrant === false
      ? this.#acquireAfresh(target, { ...request, inside: hold }, wantsToken)
      : this.#acquireInside(hold, target, request, wantsToken, isForBody)
  }

  async #acquireInTurn(
    scope: Scope<Possession<Lease>>,
    target: Target,
    request: Request,
    wantsToken: boolean,
  ): Promise<Outcome> {
    const startedAt = monotonicMs()
    // One that must not re-enter may wait for what the scope holds: the scope's `unlock()` must not wait behind it.
    const slot = request.reentrant === false ? undefined : scope.nextSlot(target.address)
    try {
      const limitMs = limitOf(request, this.#deps.settings)
      if (slot?.ready && (await withTimeout(slot.ready, limitMs, request.signal)) === timedOut) {
        return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
      }
      const outcome = await this.#acquire(target, withWaitLeft(request, startedAt), wantsToken, false)
      if ('lease' in outcome) scope.keep(outcome.hold, outcome.lease)
      return outcome
    } finally {
      slot?.done()
    }
  }

  /** Inside a hold that may be released before this call's turn comes. */
  async #acquireInside(
    first: Possession<Lease>,
    target: Target,
    request: Request,
    wantsToken: boolean,
    isForBody: boolean,
  ): Promise<Outcome> {
    const startedAt = monotonicMs()
    const call = isForBody ? callSite(oursInside) : undefined
    let hold: Possession<Lease> | undefined = first
    while (hold) {
      const body = call && joinTurns(this.#deps.frames, hold, target, call)
      let lease: Lease | NotAcquired | null = null
      try {
        const late = body && (await untilTurn(body, hold, target, request, startedAt))
        if (late) return late
        lease = await reenter(this.#deps, hold, target, withWaitLeft(request, startedAt), wantsToken)
      } finally {
        if (!lease || !('unlock' in lease)) body?.end()
      }
      if (lease && !('unlock' in lease)) return lease
      if (lease) return body ? { hold, lease, body } : { hold, lease }
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
    const { closing, acquirer } = this.#deps
    closing.assertOpen(target.address.name)
    return acquirer.acquire(target, request, wantsToken, wantedSince)
  }
}

/** `#acquireInside`, `#acquire`, `acquireForBody`, `#acquireForBody` of the lock, what `useLease` begins with, `useLease` and `withLock`. */
const oursInside = 7

/** The turn of a call among those of its scope did not come in time. */
export const notReachedTurn = (target: Target, waitedMs: number): NotAcquired => ({
  ...notReplied(target, undefined, waitedMs),
  isBehindScope: true,
})

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }
