import type { Address, ObjectKind, Target } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import { abortController } from '../util/timeouts.js'
import type { Turns } from './turns.js'

/**
 * One owner's possession of one object: a hold, or several that count as one. What leases, frames and scopes know of it.
 */
export interface Possession {
  readonly address: Address
  readonly kind: ObjectKind
  readonly owner: string
  readonly count: number
  /** 0 while it has none. */
  readonly fencingToken: number
  readonly loss: LockLostError | undefined
  /** Whether no code can use it any more: released, or lost and left. */
  readonly isOver: boolean
  /** The callbacks that run in it, once there was one. */
  bodies: Turns | undefined
  /** Whether this process may claim the object at this very moment. */
  readonly isHeld: boolean
  remainingMs(): number
  countOf(kind: ObjectKind): number
  /** Enters once more; `null` when it was released before this call's turn came. */
  enter(target: Target, request: Request, wantsToken: boolean): Promise<LeaseEntry | null>
  leave(entry: LeaseEntry): Promise<void>
  /**
   * Leaves the object to its heir for `withinMs`; left out where that cannot be.
   *
   * @throws `InvalidArgumentError`, and not by rejecting, when the entry is not alone in it
   */
  handOver?(entry: LeaseEntry, heir: string, withinMs: number): Promise<void>
  extend(leaseMs: number): Promise<void>
}

/** One entry into a hold, as far as a scope needs to know it. */
export interface ScopedLease {
  readonly name: string
  readonly kind: ObjectKind
  readonly owner: string
  readonly isLeft: boolean
  /** Which multi lock it belongs to, if any: only that one undoes it. */
  readonly multiLock?: string
  unlock(): Promise<void>
}

/** The vote of a quorum for which a hold at a master is kept, where no caller has a lease on that hold. */
export interface Voter {
  /** Another owner has the lock; it may be queued. */
  waiting(holder: string, position: number): void
  /** A release handed it over. */
  granted(): void
  renewed(): void
  lost(entry: LeaseEntry, error: LockLostError): void
}

/** One entry into a hold: what the hold keeps of a lease, so that the lease itself can be collected once its caller has dropped it. */
export class LeaseEntry implements ScopedLease {
  readonly hold: Possession
  readonly target: Target
  /** Whether the watchdog is to renew the hold for it; otherwise it is a fixed lease, which ends by itself. */
  isRenewed: boolean
  /** Until when it lets the hold be renewed (`maxHoldMs`). */
  limitAt: number
  /** How many permits it needs; 1 for a lock. */
  needs: number
  readonly voter: Voter | undefined
  #left: Promise<void> | undefined
  #abort: AbortController | undefined
  /** The lease that a caller has, or a weak reference to it. */
  #lease: object | undefined

  constructor(
    hold: Possession,
    target: Target,
    isRenewed: boolean,
    limitAt: number,
    voter: Voter | undefined,
  ) {
    this.hold = hold
    this.target = target
    this.isRenewed = isRenewed
    this.limitAt = limitAt
    this.needs = target.permits
    this.voter = voter
  }

  get name(): string {
    return this.target.address.name
  }

  get kind(): ObjectKind {
    return this.target.kind
  }

  get owner(): string {
    return this.hold.owner
  }

  get isLeft(): boolean {
    return this.#left !== undefined
  }

  /** Aborts when the hold is lost before the entry is left. */
  get signal(): AbortSignal {
    this.#abort ??= abortController()
    return this.#abort.signal
  }

  /** This lease of a caller is for it. It is only noticed to be dropped if nothing else ends the hold. */
  belongTo(lease: object): void {
    if (this.isRenewed) this.#lease = lease
  }

  /** Leaves once; a later call waits for the first. */
  unlock(): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = this.hold.leave(this)
    return this.#left
  }

  /** Leaves the lock to its heir. Throws what the hold throws, and is open then. */
  handOver(heir: string, withinMs: number): Promise<void> | undefined {
    return (this.#left = this.hold.handOver?.(this, heir, withinMs))
  }

  /** It was to be handed over, and is not. */
  stay(): void {
    this.#left = undefined
  }

  /** The hold was lost. To be called outside all frames. */
  abort(error: LockLostError): void {
    if (this.voter) this.voter.lost(this, error)
    else if (!this.#left) this.#abort?.abort(error)
  }

  /**
   * Whether it turns out now that the caller's lease was collected. Most holds are released before their first renewal, so only then is a
   * weak reference made.
   */
  noticeDropped(): boolean {
    if (this.#left || !this.#lease) return false
    if (!(this.#lease instanceof WeakRef)) {
      this.#lease = new WeakRef(this.#lease)
      return false
    }
    if (this.#lease.deref() !== undefined) return false
    this.#lease = undefined
    return true
  }
}
