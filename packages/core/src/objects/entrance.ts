import type { Address } from '../engine/requests.js'
import type { Hold } from '../holding/hold.js'
import type { Request } from '../options.js'
import type { Frames } from '../ownership/frames.js'
import type { Scope } from '../ownership/scope.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/with-timeout.js'
import { Acquisition } from '../waiting/acquisition.js'
import type { AcquisitionDeps } from '../waiting/acquisition-deps.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { notReached } from '../waiting/wording.js'
import type { Lease } from './lease.js'

/** A lock that was acquired, and the lease of this entry. */
export interface Acquired {
  readonly hold: Hold<Lease>
  readonly lease: Lease
}

export type Outcome = Acquired | NotAcquired

/** What an entrance needs of its client. */
export interface EntranceDeps extends AcquisitionDeps<Acquired> {
  readonly frames: Frames<Hold<Lease>>
  readonly background: Pick<Background, 'run'>
  /** Throws `ClosedError` once the client closes. */
  assertOpen(address: Address): void
}

/** Decides for each call whether it re-enters the hold of the running async context or acquires the lock afresh. */
export class Entrance {
  readonly #deps: EntranceDeps

  constructor(deps: EntranceDeps) {
    this.#deps = deps
  }

  /** Inside a scope, waits for earlier calls on this lock there, and keeps the lease for the scope's `unlock()`. */
  acquireInScope(address: Address, request: Request, wantsToken: boolean): Promise<Outcome> {
    const scope = this.#deps.frames.nearestScope()
    return scope
      ? this.#acquireInTurn(scope, address, request, wantsToken)
      : this.acquire(address, request, wantsToken)
  }

  acquire(address: Address, request: Request, wantsToken: boolean): Promise<Outcome> {
    const hold = this.#deps.frames.enclosingHold(address)
    return hold
      ? this.#acquireInside(hold, request, wantsToken)
      : this.#acquireAfresh(address, request, wantsToken)
  }

  async #acquireInTurn(
    scope: Scope<Hold<Lease>>,
    address: Address,
    request: Request,
    wantsToken: boolean,
  ): Promise<Outcome> {
    const startedAt = monotonicMs()
    const slot = scope.nextSlot(address)
    try {
      const limitMs = this.#limitMs(request)
      if (slot.ready && (await withTimeout(slot.ready, limitMs, request.signal)) === timedOut) {
        const waitedMs = Math.round(monotonicMs() - startedAt)
        const { name } = address
        return { kind: 'not-acquired', name, owner: undefined, holder: undefined, position: 0, waitedMs }
      }
      const outcome = await this.acquire(address, withWaitLeft(request, startedAt), wantsToken)
      if ('lease' in outcome) scope.keep(outcome.hold, outcome.lease)
      return outcome
    } finally {
      slot.done()
    }
  }

  /** Inside a hold that may be released before this call's turn comes. */
  async #acquireInside(first: Hold<Lease>, request: Request, wantsToken: boolean): Promise<Outcome> {
    const { address } = first
    const startedAt = monotonicMs()
    let hold: Hold<Lease> | undefined = first
    while (hold) {
      const lease = await this.#reenter(hold, withWaitLeft(request, startedAt), wantsToken)
      if (lease) return { hold, lease }
      hold = this.#deps.frames.enclosingHold(address)
    }
    return this.#acquireAfresh(address, withWaitLeft(request, startedAt), wantsToken, startedAt)
  }

  #acquireAfresh(
    address: Address,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<Outcome> {
    this.#deps.assertOpen(address)
    return new Acquisition(this.#deps, address, request, wantsToken, wantedSince).run()
  }

  /** On time even behind a slow command of the same hold; a lease that comes too late is left again. */
  async #reenter(hold: Hold<Lease>, request: Request, wantsToken: boolean): Promise<Lease | null> {
    const startedAt = monotonicMs()
    const entering = hold.enter(request, wantsToken)
    const limitMs = this.#limitMs(request)
    try {
      const lease = await withTimeout(entering, limitMs, request.signal)
      if (lease !== timedOut) return lease
      const details = { lockName: hold.address.name, owner: hold.owner }
      const cause = this.#deps.lastErrorSince(startedAt)
      throw notReached(hold.address, this.#deps.settings, limitMs, cause, details)
    } catch (error) {
      this.#deps.background.run(leaveLate(entering))
      throw error
    }
  }

  #limitMs({ waitMs }: Request): number {
    return waitMs === 0 ? this.#deps.settings.commandTimeoutMs : waitMs
  }
}

const withWaitLeft = (request: Request, startedAt: number): Request =>
  request.waitMs === 0 || request.waitMs === Infinity
    ? request
    : { ...request, waitMs: Math.max(1, Math.ceil(startedAt + request.waitMs - monotonicMs())) }

/** The caller has its error already, so no caller is left to receive a failure. */
async function leaveLate(entering: Promise<Lease | null>): Promise<void> {
  try {
    await (await entering)?.unlock()
  } catch {
    // The hold is lost or the entry failed: nothing was entered.
  }
}
