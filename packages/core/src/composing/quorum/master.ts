import type { Address } from '../../engine/requests.js'
import type { Addressing } from '../../engine/addressing.js'
import type { LockSteps } from '../../engine/lock-steps.js'
import type { Registry } from '../../engine/registry.js'
import type { Sharing } from '../../engine/sharing.js'
import { HoldfastError } from '../../errors/errors.js'
import type { StoreSilence } from '../../errors/store-silence.js'
import type { Acquired, Hold, HoldDeps } from '../../holding/hold.js'
import type { HoldReports } from '../../holding/hold-reports.js'
import type { LeaseHandle, LeaseMaker } from '../../holding/lease-set.js'
import type { Request } from '../../options/options.js'
import type { Target } from '../../ownership/target.js'
import { Acquisition } from '../../waiting/acquisition.js'
import type { AcquisitionDeps } from '../../waiting/acquisition.js'
import type { NotAcquired } from '../../waiting/outcome.js'
import type { WaitReports } from '../../waiting/wait-reports.js'
import type { Health } from './health.js'
import { ownerOfVote } from './owners.js'

/** A hold at one master, and the one lease that it has. */
export type HeldVote = Acquired<LeaseHandle>

/** What a quorum needs of one master's client. */
export interface MasterDeps {
  /** Names the master in messages. */
  readonly name: string
  readonly names: Addressing
  readonly steps: LockSteps
  readonly registry: Registry
  readonly sharing: Pick<Sharing, 'foreignOwnerOf'> | undefined
  readonly health: Health
  readonly acquisition: Omit<AcquisitionDeps<LeaseHandle>, 'holding' | 'reports'>
  readonly holding: Omit<HoldDeps<LeaseHandle>, 'leaseMaker' | 'reports'>
  /** Tells the client of an owner at this master who is about to evict it. */
  announce(address: Address, owner: string, by: string): Promise<void>
}

/** What a request to a master is for, and who wants to know of it. */
export interface VoteRequest {
  readonly target: Target
  /** The number of its owner. */
  readonly n: number
  readonly request: Request
  readonly reports: WaitReports & HoldReports
  readonly leaseMaker: LeaseMaker<Hold, LeaseHandle>
}

/** One of the independent stores that vote on who holds a lock. */
export class Master {
  readonly #deps: MasterDeps

  constructor(deps: MasterDeps) {
    this.#deps = deps
  }

  get name(): string {
    return this.#deps.name
  }

  get health(): Health {
    return this.#deps.health
  }

  get silence(): Pick<StoreSilence, 'isOutage'> {
    return this.#deps.acquisition.silence
  }

  get names(): Addressing {
    return this.#deps.names
  }

  get steps(): LockSteps {
    return this.#deps.steps
  }

  get registry(): Registry {
    return this.#deps.registry
  }

  /** Who an owner at this master is, with locks of a quorum. */
  ownerOf(owner: string): string {
    return this.#deps.sharing?.foreignOwnerOf(owner) ?? ownerOfVote(owner)
  }

  /** Acquires the lock at this master alone, under an owner of its own. */
  acquire({ target, n, request, reports, leaseMaker }: VoteRequest): Promise<HeldVote | NotAcquired> {
    const { acquisition, holding } = this.#deps
    const deps = { ...acquisition, reports, holding: { ...holding, reports, leaseMaker } }
    return new Acquisition(deps, n, target, request, false).run()
  }

  /** What the lease of a hold asks for has changed. */
  reschedule(hold: Hold): void {
    this.#deps.holding.watchdog.reschedule(hold)
  }

  /** Tells the client of an owner at this master who is about to evict it. It is evicted whether or not that succeeds. */
  announce(address: Address, owner: string, by: string): Promise<void> {
    return this.#deps.announce(address, owner, by)
  }

  /** Who evicts an owner that this client has here, if that was announced a short time ago. Forgets it. */
  takeEvictor(owner: string): string | undefined {
    return this.#deps.holding.evictions.take(owner)
  }

  async raiseToken(address: Address, token: number, keepMs: number): Promise<void> {
    const { steps, name } = this.#deps
    if (!steps.raiseToken) throw new HoldfastError(`${name} cannot raise a fencing token`)
    await steps.raiseToken(address, token, keepMs)
  }
}
