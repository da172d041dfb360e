import type { LockLostError } from '../errors/errors.js'
import type { OpenLease } from '../holding/lease-set.js'
import { outsideFrames } from '../ownership/frames.js'
import type { ObjectKind, Target } from '../ownership/target.js'
import { abortController } from '../util/abort.js'

/** What the hold keeps of a lease, so that the lease itself can be collected once its caller has dropped it. */
export class LeaseEntry implements OpenLease {
  readonly target: Target
  readonly limitAt: number
  /** How many permits it needs. */
  needs: number
  left: Promise<void> | undefined
  #abort: AbortController | undefined
  /** `null` for a fixed lease, which ends by itself; `undefined` once it was found to be collected. */
  #lease: object | null | undefined

  constructor(lease: object | null, target: Target, limitAt: number) {
    this.#lease = lease
    this.target = target
    this.limitAt = limitAt
    this.needs = target.permits
  }

  get kind(): ObjectKind {
    return this.target.kind
  }

  /** Whether the watchdog is to renew the hold for it. */
  get isRenewed(): boolean {
    return this.#lease !== null
  }

  get signal(): AbortSignal {
    this.#abort ??= abortController()
    return this.#abort.signal
  }

  abort(error: LockLostError): void {
    if (this.left) return
    outsideFrames(() => this.#abort?.abort(error))
  }

  /** Most holds are released before their first renewal, so only then is a weak reference made. */
  noticeDropped(): boolean {
    if (this.left || !this.#lease) return false
    if (!(this.#lease instanceof WeakRef)) {
      this.#lease = new WeakRef(this.#lease)
      return false
    }
    if (this.#lease.deref() !== undefined) return false
    this.#lease = undefined
    return true
  }
}
