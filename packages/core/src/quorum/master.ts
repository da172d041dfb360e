import type { LockSteps } from '../engine/lock-steps.js'
import { clientOf, numberOf, ownerOf } from '../engine/requests.js'
import type { Address, Addressing, Target } from '../engine/requests.js'
import type { Registry, Sharing } from '../engine/session.js'
import { HoldfastError } from '../errors/errors.js'
import type { StoreSilence } from '../errors/store-silence.js'
import type { HoldReports } from '../holding/hold-reports.js'
import type { Acquired, Hold, HoldDeps } from '../holding/hold.js'
import type { LeaseHandle, LeaseMaker } from '../holding/lease-set.js'
import type { Request } from '../options/options.js'
import { Acquisition } from '../waiting/acquisition.js'
import type { AcquisitionDeps } from '../waiting/acquisition.js'
import type { NotAcquired, WaitReports } from '../waiting/outcome.js'
import type { Health } from './health.js'

/** A hold at one master, and the one lease that it has. */
export type HeldVote = Acquired<LeaseHandle>

/** What a quorum needs of one master's client. */
export interface MasterDeps {
  /** Names the master in messages. */
  readonly name: string
  readonly names: Addressing
  readonly steps: LockSteps
  readonly registry: Registry
  readonly sharing: Sharing | undefined
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

  get silence(): StoreSilence {
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

/**
 * How owners are named at the masters. A request that may still be on its way must never be mistaken for a later one, so each
 * request of an acquisition to one master has an owner of its own: its number is that of the acquisition, with six more
 * digits. The first requests have the same owner at every master.
 */
const requestsPerAcquisition = 1_000_000

/** The number of the owner of the k-th request, from 1 on, that the n-th acquisition sends to a master. */
export const voteNumber = (n: number, k: number): number =>
  n * requestsPerAcquisition + (k % requestsPerAcquisition)

/** The owner of the acquisition that an owner at a master stands for. */
const ownerOfVote = (owner: string): string =>
  owner && ownerOf(clientOf(owner), Math.floor(numberOf(owner) / requestsPerAcquisition))
