import type { Confirmer } from '../engine/confirmer.js'
import type { LockSteps } from '../engine/lock-steps.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { Grant } from '../holding/grant.js'
import type { Request } from '../options/options.js'
import type { Proofs } from './proofs.js'
import type { StoreWaitDeps } from './store-wait.js'

/** What acquisitions need of their client; `A` is what the caller gets once the lock is acquired. */
export interface AcquisitionDeps<A> extends StoreWaitDeps {
  readonly steps: LockSteps
  /** Only with `minReplicas`. */
  readonly confirmer: Confirmer | undefined
  readonly settings: StoreWaitDeps['settings'] & { readonly marginMs: number }
  readonly abandonment: Pick<Abandonment, 'abandon'>
  readonly proofs: Pick<Proofs, 'of'>
  admit(grant: Grant, request: Request, waitedMs: number): A
}
