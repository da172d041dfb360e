import type { LeaseHandle } from '../../holding/lease-set.js'
import type { Request } from '../../options/options.js'
import type { Owners } from '../../ownership/owners.js'
import type { Target } from '../../ownership/target.js'
import type { NotAcquired } from '../../waiting/outcome.js'
import type { QuorumAcquisitionDeps } from './acquisition-deps.js'
import { QuorumAcquisition } from './acquisition.js'
import type { AcquiredMajority } from './hold.js'

/** Acquires locks of a quorum, each under an owner of its own. */
export class QuorumAcquirer<L extends LeaseHandle> {
  readonly #deps: QuorumAcquisitionDeps<L>
  readonly #owners: Owners

  constructor(deps: QuorumAcquisitionDeps<L>, owners: Owners) {
    this.#deps = deps
    this.#owners = owners
  }

  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<AcquiredMajority<L> | NotAcquired> {
    const n = this.#owners.nextNumber()
    return new QuorumAcquisition(this.#deps, n, target, request, wantsToken, wantedSince).runTraced()
  }
}
