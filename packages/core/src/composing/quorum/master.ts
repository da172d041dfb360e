import type { Address } from '../../engine/requests.js'
import type { EngineSession } from '../../engine/session.js'
import { HoldfastError } from '../../errors.js'
import type { Events } from '../../events.js'
import { Hold } from '../../holding/hold.js'
import type { HoldDeps } from '../../holding/hold.js'
import type { LeaseHandle } from '../../holding/lease-set.js'
import type { Request } from '../../options.js'
import type { Target } from '../../ownership/target.js'
import { Acquisition } from '../../waiting/acquisition.js'
import type { AcquisitionDeps } from '../../waiting/acquisition-deps.js'
import type { NotAcquired } from '../../waiting/outcome.js'
import type { Health } from './health.js'

/** A hold at one master, and the one lease that it has. */
export interface HeldVote {
  readonly hold: Hold
  readonly lease: LeaseHandle
}

/** What a quorum needs of one master's client. */
export interface MasterDeps {
  /** Names the master in messages. */
  readonly name: string
  readonly session: Pick<EngineSession, 'locate' | 'inspect' | 'force' | 'find' | 'raiseToken'>
  readonly health: Health
  readonly acquisitionDeps: Omit<AcquisitionDeps<HeldVote>, 'nextOwner' | 'admit' | 'events'>
  readonly holdDeps: Omit<HoldDeps<LeaseHandle>, 'makeLease' | 'events'>
}

/** What a request to a master is for, and who wants to know of it. */
export interface VoteRequest {
  readonly target: Target
  /** The number of its owner. */
  readonly n: number
  readonly request: Request
  readonly events: Pick<Events, 'emit' | 'emitError' | 'hasListeners' | 'warnOnce'>
  readonly makeLease: (hold: Hold) => LeaseHandle
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

  get session(): MasterDeps['session'] {
    return this.#deps.session
  }

  /** Acquires the lock at this master alone, under an owner of its own. */
  acquire({ target, n, request, events, makeLease }: VoteRequest): Promise<HeldVote | NotAcquired> {
    const { acquisitionDeps, holdDeps } = this.#deps
    const deps: AcquisitionDeps<HeldVote> = {
      ...acquisitionDeps,
      events,
      nextOwner: () => n,
      admit: (grant, options, waitedMs) => {
        const hold = new Hold<LeaseHandle>({ ...holdDeps, events, makeLease }, grant, options)
        return { hold, lease: hold.open(options, waitedMs) }
      },
    }
    return new Acquisition(deps, target, request, false).run()
  }

  /** What the lease of a hold asks for has changed. */
  reschedule(hold: Hold): void {
    this.#deps.holdDeps.watchdog.reschedule(hold)
  }

  async raiseToken(address: Address, token: number, keepMs: number): Promise<void> {
    const { session, name } = this.#deps
    if (!session.raiseToken) throw new HoldfastError(`${name} cannot raise a fencing token`)
    await session.raiseToken(address, token, keepMs)
  }
}
