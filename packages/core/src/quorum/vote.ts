import type { Address, Target } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import type { HoldfastError, LossReason } from '../errors/errors.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { Hold } from '../holding/hold.js'
import type { LeaseHandle, LeaseMaker } from '../holding/lease-set.js'
import type { Request } from '../options/options.js'
import { monotonicMs } from '../util/clock.js'
import { isStaleReply } from '../waiting/outcome.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { voteNumber } from './master.js'
import type { HeldVote, Master, VoteRequest } from './master.js'
import { withoutSubject } from './wording.js'

/** Whom a vote reports to. */
export interface VoteListener {
  /** Whether the watchdog is to renew the hold at the master, and until when. */
  readonly isRenewed: boolean
  readonly limitAt: number
  /** Its state changed without a call: a reply came, or the hold was lost. */
  changed(vote: Vote): void
  renewed(): void
  /** Another owner has it; it may be queued. */
  waiting?(holder: string, position: number): void
  /** A release handed it over. */
  granted?(): void
}

/** What a vote needs of its ballot. */
export interface VoteDeps {
  readonly target: Target
  /** The number of the acquisition. */
  readonly n: number
  readonly listener: VoteListener
  /** Work that no caller awaits. */
  background(work: Promise<unknown>): void
  emitError(error: unknown): void
}

type VoteState = 'none' | 'requested' | 'yes' | 'busy' | 'failed'

/**
 * One master's part in a quorum.
 *
 * | State     | true in it                                       | leaves it on                                             |
 * | --------- | ------------------------------------------------ | -------------------------------------------------------- |
 * | none      | not requested, given back or lost                | request → requested                                      |
 * | requested | a request or a wait in its queue is under way    | held → yes; another owner has it → busy; error → failed  |
 * | yes       | this master counts us as the holder              | given back or lost → none                                |
 * | busy      | another owner has it                             | request → requested; the round is over → none            |
 * | failed    | no reply, or one that says it never will         | request → requested; the reply comes late → as requested |
 *
 * A request keeps running when its vote is not wanted any more: if the reply is yes, the vote is given back. Only a wait in a
 * queue is cancelled.
 */
export class Vote implements LeaseMaker<Hold, LeaseHandle> {
  readonly master: Master
  readonly address: Address
  readonly #deps: VoteDeps
  #state: VoteState = 'none'
  #held: HeldVote | undefined
  #holder = ''
  #error: HoldfastError | undefined
  #lossReason: LossReason | undefined
  #lostTo: string | undefined
  #requests = 0
  /** The request under way; one that was ended is forgotten here. */
  #current: { readonly wait: AbortController | undefined } | undefined
  #isWanted = false
  /** When the token of the quorum was last raised there, in the present hold. */
  #tokenRaisedAt = -Infinity

  constructor(master: Master, deps: VoteDeps) {
    this.master = master
    this.#deps = deps
    this.address = master.names.locate(deps.target.address.name, 'lock')
  }

  get state(): VoteState {
    return this.#state
  }

  /** The hold, while the master is known to count us as the holder. Checked by the clock too. */
  get hold(): Hold | undefined {
    const hold = this.#held?.hold
    return hold?.loss ? undefined : hold
  }

  /** The other owner that had it, when it was busy. */
  get holder(): string {
    return this.#holder
  }

  /** Why it failed. */
  get error(): HoldfastError | undefined {
    return this.#error
  }

  /** Why its last hold was lost. */
  get lossReason(): LossReason | undefined {
    return this.#lossReason
  }

  /** Who evicted its last hold, or is about to evict the present one, if that was announced. */
  takeEvictor(): string | undefined {
    return this.#held ? this.master.takeEvictor(this.#held.hold.owner) : this.#lostTo
  }

  /** Whether requesting it again makes no sense. */
  get isRefused(): boolean {
    return this.#state === 'failed' && !(this.#error instanceof UnavailableError)
  }

  /** Requests the lock; waits in the queue if the request has time to wait. A request that is under way serves too. */
  request(request: Request): void {
    this.#isWanted = true
    if (this.#state === 'yes') return
    const { health } = this.master
    if (!health.isUsable) {
      this.#state = 'failed'
      this.#error = health.error
      return
    }
    this.#state = 'requested'
    if (!this.#current) this.#send(request)
  }

  /** No longer wanted: what the master has of us is given up. */
  giveBack(): void {
    this.#isWanted = false
    this.#state = 'none'
    const held = this.#held
    this.#held = undefined
    if (held) this.#leave(held)
    if (!this.#current?.wait) return
    const { wait } = this.#current
    this.#current = undefined
    wait.abort(ended)
  }

  /** The master went down: its reply, if one comes at all, will be late. */
  giveUp(error: HoldfastError): void {
    if (this.#state !== 'requested') return
    const { wait } = this.#current ?? {}
    if (wait) {
      this.#current = undefined
      wait.abort(ended)
    }
    this.#fail(error)
  }

  /** Releases the hold. Resolves with whether the master has confirmed it; rejects with what else it said. */
  async release(): Promise<boolean> {
    const held = this.#held
    this.#held = undefined
    this.#state = 'none'
    this.#isWanted = false
    await held?.hold.leave(held.lease)
    return held === undefined || held.hold.isReleasedForGood
  }

  /** The quorum is lost: this master is to forget us as soon as it can be reached. */
  lose(): void {
    const held = this.#held
    // Losing it has it released, too.
    this.#held = undefined
    this.giveBack()
    held?.hold.lose('expired')
  }

  /**
   * Has the master draw larger tokens than this one from now on. It keeps it for so long that its clock will have passed the
   * token by then, even if it is far behind that of the master which drew it.
   */
  async raiseToken(token: number): Promise<void> {
    const held = this.#held
    const sentAt = monotonicMs()
    await this.master.raiseToken(this.address, token, keepTokenMs)
    if (this.#held === held) this.#tokenRaisedAt = sentAt
  }

  /** The same in the background, unless it was done lately. */
  keepToken(token: number): void {
    if (!this.hold || monotonicMs() < this.#tokenRaisedAt + keepTokenMs / 2) return
    // What fails is done again with the next renewal.
    this.#deps.background(this.raiseToken(token).catch(() => undefined))
  }

  /** What the leases ask for has changed. */
  reschedule(): void {
    if (this.hold) this.master.reschedule(this.hold)
  }

  /** What its hold at the master is kept for. */
  makeLease(hold: Hold): LeaseHandle {
    const deps = this.#deps
    const entry: LeaseHandle['entry'] = {
      kind: 'lock',
      needs: 1,
      get isRenewed() {
        return deps.listener.isRenewed
      },
      get limitAt() {
        return deps.listener.limitAt
      },
      abort: ({ reason, by }) => {
        if (this.#held?.hold !== hold) return
        this.#held = undefined
        this.#state = 'none'
        this.#lossReason = reason
        this.#lostTo = by
        deps.listener.changed(this)
      },
    }
    return { entry }
  }

  #send(request: Request): void {
    const { target, n } = this.#deps
    const wait = request.waitMs > 0 ? new AbortController() : undefined
    const current = { wait }
    this.#current = current
    const voteRequest: VoteRequest = {
      target: { ...target, address: this.address },
      n: voteNumber(n, ++this.#requests),
      request: { ...request, signal: wait?.signal },
      reports: this.#reports,
      leaseMaker: this,
    }
    if (wait) this.master.health.watch()
    const done = this.master.acquire(voteRequest).finally(() => {
      if (wait) this.master.health.unwatch()
    })
    done.then(
      (outcome) => this.#onOutcome(outcome, current),
      (error: unknown) => this.#onError(error, current),
    )
  }

  #onOutcome(outcome: HeldVote | NotAcquired, current: object): void {
    const isCurrent = this.#current === current
    if (isCurrent) this.#current = undefined
    if ('hold' in outcome) {
      this.#onHeld(outcome, isCurrent)
      return
    }
    if (!isCurrent || !this.#isWanted) return
    this.#state = 'busy'
    this.#holder = this.master.ownerOf(outcome.holder ?? '')
    this.#deps.listener.waiting?.(this.#holder, outcome.position)
    this.#deps.listener.changed(this)
  }

  /** A yes counts only if the master was checked since its connection last broke. */
  #onHeld(held: HeldVote, isCurrent: boolean): void {
    const checking = this.master.health.ready(this.address)
    if (!checking) {
      this.#take(held, isCurrent)
      return
    }
    checking.then(
      () => this.#take(held, isCurrent),
      (error: unknown) => {
        this.#leave(held)
        if (isCurrent && this.#isWanted) this.#fail(toHoldfastError(error))
      },
    )
  }

  #take(held: HeldVote, isCurrent: boolean): void {
    if (!isCurrent || !this.#isWanted || this.#held) {
      this.#leave(held)
      return
    }
    this.#held = held
    this.#tokenRaisedAt = -Infinity
    this.#state = held.hold.loss ? 'none' : 'yes'
    this.#error = undefined
    this.#deps.listener.changed(this)
  }

  #onError(thrown: unknown, current: object): void {
    if (this.#current !== current) return
    this.#current = undefined
    const given = toHoldfastError(thrown)
    const isUnavailable = given instanceof UnavailableError
    const error = isUnavailable ? withoutSubject(given, this.#deps.target) : given
    if (isUnavailable && !isStaleReply(given)) this.master.health.failed(error)
    if (this.#isWanted) this.#fail(error)
  }

  #fail(error: HoldfastError): void {
    this.#state = 'failed'
    this.#error = error
    this.#deps.listener.changed(this)
  }

  #leave({ hold, lease }: HeldVote): void {
    // A loss or an error changes nothing: what is left of it ends with its lease.
    this.#deps.background(hold.leave(lease).catch(() => undefined))
  }

  /** What happens at one master, as far as it matters to the quorum. */
  readonly #reports: VoteRequest['reports'] = {
    waiting: (_, { holder, position }) =>
      this.#deps.listener.waiting?.(this.master.ownerOf(holder), position),
    granted: () => this.#deps.listener.granted?.(),
    renewed: () => this.#deps.listener.renewed(),
    error: (error) => this.#deps.emitError(error),
    acquired: nothing,
    released: nothing,
    downgraded: nothing,
    lost: nothing,
    unconfirmed: nothing,
    // No caller has the lease of a vote, so none can be dropped.
    dropped: nothing,
  }
}

const nothing = (): void => undefined

/** One day. */
const keepTokenMs = 86_400_000

/** Why a wait in a queue was ended. */
const ended = new Error('no longer wanted')
