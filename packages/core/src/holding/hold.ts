import type { Channels } from '../channels/channels.js'
import type { LockSteps } from '../engine/lock-steps.js'
import { titleOf } from '../engine/requests.js'
import type { AcquireRequest, Address, Target } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import type { LockLostError } from '../errors/errors.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Request } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import type { Background } from '../util/background.js'
import { isTimeUp, momentNow, monotonicMs } from '../util/clock.js'
import { SerialQueue } from '../util/serial-queue.js'
import type { SerialSlot } from '../util/serial-queue.js'
import { pause, retryAfterMs, timedOut, withTimeout } from '../util/timeouts.js'
import type { Abandonment } from './abandonment.js'
import { unconfirmedText } from './hold-reports.js'
import type { HoldReports } from './hold-reports.js'
import type { LeaseHandle, LeaseMaker } from './lease-set.js'
import { lossForCaller, upgradeRefused } from './loss.js'
import { ProvenHold, sendExtension } from './proven-hold.js'
import type { Grant, ProvenHoldDeps } from './proven-hold.js'
import { sendRelease } from './release.js'
import type { PendingRelease, ReleaseOutcome } from './release.js'

/** What holds need of their client. */
export interface HoldDeps<L extends LeaseHandle> extends ProvenHoldDeps {
  readonly steps: LockSteps
  readonly background: Background
  readonly abandonment: Abandonment
  /** `undefined` for holds that only make up another one. */
  readonly channels: Channels | undefined
  readonly leaseMaker: LeaseMaker<Hold<L>, L>
}

/** A hold that was acquired, and its first lease. */
export interface Acquired<L extends LeaseHandle> {
  readonly hold: Hold<L>
  readonly lease: L
}

/** A lease that is being left, if it is not only some permits, and its turn. */
interface Leaving<L> {
  readonly left: L | null
  readonly wasLost: boolean
  readonly slot: SerialSlot
}

/**
 * One owner's possession of one object.
 *
 * | State    | true in it                                             | leaves it on                                     |
 * | -------- | ------------------------------------------------------ | ------------------------------------------------ |
 * | live     | at least one lease open, deadline ahead                | last lease left → leaving; loss → lost           |
 * | leaving  | no lease open, release under way, no longer renewed;   | reply or deadline → released; "not held" → lost  |
 * |          | after `commandTimeoutMs` no caller waits for it        |                                                  |
 * | released | over                                                   | -                                                |
 * | lost     | over, and the holder was notified                      | -                                                |
 *
 * Its commands go out one after another, each with the value it wants: for a lock the number of its leases, otherwise the
 * permits that they need, which never grow. So further entries into anything but a lock mostly send nothing.
 */
export class Hold<L extends LeaseHandle = LeaseHandle>
  extends ProvenHold<HoldDeps<L>>
  implements Possession<L>
{
  #queue: SerialQueue | undefined
  readonly #isProven: boolean

  private constructor(deps: HoldDeps<L>, grant: Grant, { maxHoldMs }: Request) {
    super(deps, grant, maxHoldMs)
    this.#isProven = grant.isProven
  }

  /** Made when first needed: most of the time a hold only is there. */
  get #commands(): SerialQueue {
    return (this.#queue ??= new SerialQueue())
  }

  /** A hold with its first lease, which the acquisition has counted at the store already. */
  static open<L extends LeaseHandle>(
    deps: HoldDeps<L>,
    grant: Grant,
    request: Request,
    waitedMs: number,
  ): Acquired<L> {
    const hold = new Hold(deps, grant, request)
    return { hold, lease: hold.#begin(request, waitedMs) }
  }

  #begin(request: Request, waitedMs: number): L {
    const lease = this.#addLease(this.ownTarget, request, waitedMs, this.clock.grantedAt)
    if (this.state !== 'live') return lease
    this.deps.watchdog.add(this, this.clock.grantedAt)
    if (!this.#isProven) this.deps.watchdog.renewNow([this])
    return lease
  }

  /** Enters once more. `null` when the hold was released before its turn came: then the caller needs a hold of its own. */
  enter(target: Target, request: Request, wantsToken: boolean): Promise<L | null> {
    const startedAt = monotonicMs()
    const attempt = (timeoutMs: number) => this.#enterOnce(target, request, wantsToken, timeoutMs)
    return this.#commands.run(async () => {
      const { reports } = this.deps
      const hasEntered = await enterUntilAnswered(attempt, request, startedAt, reports, this.details)
      if (!hasEntered) return null
      const now = monotonicMs()
      return this.#addLease(target, request, now - startedAt, now)
    })
  }

  /**
   * Leaves one lease; the last one releases the object. Resolves when the store has replied, and after `commandTimeoutMs` at
   * the latest: what got no reply is repeated in the background until the deadline. Rejects with `LockLostError` when the hold
   * was lost before.
   */
  leave(lease: L): Promise<void> {
    return this.#giveBack(lease)
  }

  /** Gives back what open leases no longer need. Settles as `leave`. */
  lower(): Promise<void> {
    return this.#giveBack(null)
  }

  /** @param left - the lease that is left, if any */
  #giveBack(left: L | null): Promise<void> {
    const leaving = { left, wasLost: this.loss !== undefined, slot: this.#commands.next() }
    const { commandTimeoutMs } = this.deps.settings
    return leaving.slot.ready
      ? this.#leaveAfter(leaving.slot.ready, leaving, commandTimeoutMs)
      : this.#leaveNow(leaving, commandTimeoutMs)
  }

  /** The caller waits for `waitMs` at most, the commands before this one included. */
  async #leaveAfter(ready: Promise<void>, leaving: Leaving<L>, waitMs: number): Promise<void> {
    const startedAt = monotonicMs()
    if ((await withTimeout(ready, waitMs)) !== timedOut) {
      await this.#leaveNow(leaving, Math.max(0, waitMs - (monotonicMs() - startedAt)))
      return
    }
    this.deps.background.run(ready.then(() => this.#leaveNow(leaving, Infinity)))
    this.#mayRelease(this.loss, leaving.wasLost)
    this.#warnUnconfirmed()
  }

  /** @param waitMs - `Infinity`: no caller waits any more */
  async #leaveNow(leaving: Leaving<L>, waitMs: number): Promise<void> {
    const { left, wasLost, slot } = leaving
    let goesOn = false
    try {
      // Looked at first: whether it was renewed decides why it is lost.
      const { loss } = this
      if (left) this.leases.delete(left.entry)
      if (!this.#mayRelease(loss, wasLost)) {
        if (waitMs < Infinity) this.#warnUnconfirmed()
        return
      }
      const release = this.#beginLeaving()
      const isKept = !this.counting.countsEntries && release.count === this.ownTarget.permits
      const outcome = isKept ? 'released' : await this.#send(release, waitMs)
      if (outcome === 'unanswered' && waitMs < Infinity) this.#warnUnconfirmed()
      goesOn = outcome === 'unanswered' && monotonicMs() < this.deadlineAt
      if (goesOn) this.deps.background.run(this.#leaveLate(leaving, release))
      else this.#onLeft(left, release.count, outcome)
    } finally {
      if (!goesOn) this.#endTurn(slot)
    }
  }

  /** The deadline moves on while other leases are open and renewed. */
  async #leaveLate({ left, slot }: Leaving<L>, release: PendingRelease): Promise<void> {
    try {
      let outcome: ReleaseOutcome
      do {
        release.until = this.deadlineAt
        outcome = await sendRelease(this.deps, release, Infinity)
      } while (outcome === 'unanswered' && monotonicMs() < this.deadlineAt)
      this.#onLeft(left, release.count, outcome)
    } finally {
      this.#endTurn(slot)
    }
  }

  #warnUnconfirmed(): void {
    const { reports, settings } = this.deps
    reports.unconfirmed(unconfirmedText(this, settings.commandTimeoutMs, this.deadlineAt - monotonicMs()))
  }

  #endTurn(slot: SerialSlot): void {
    this.#endLeaving()
    slot.done()
  }

  /** Extends a fixed lease; a later deadline stays, the limit of the hold still applies. */
  extend(leaseMs: number): Promise<void> {
    return this.#commands.run(async () => {
      this.assertNotLost()
      await this.#sendExtension(leaseMs, this.#commandTimeoutMs)
    })
  }

  /** Has a lease that no caller knows of yet begin now, with other options. Sends nothing. */
  restart(lease: L, request: Request): L {
    this.leases.delete(lease.entry)
    return this.#open(this.ownTarget, request, monotonicMs())
  }

  /** A command that is answered only after the deadline is of no use, and holds up the release behind it. */
  get #commandTimeoutMs(): number {
    const leftMs = Math.ceil(this.deadlineAt - monotonicMs())
    return Math.max(1, Math.min(this.deps.settings.commandTimeoutMs, leftMs))
  }

  /** Whether it was entered; not so when it was released before. */
  async #enterOnce(
    target: Target,
    request: Request,
    wantsToken: boolean,
    waitLeftMs: number,
  ): Promise<boolean> {
    this.assertNotLost()
    if (this.isReleased) return false
    const timeoutMs = Math.ceil(Math.min(this.#commandTimeoutMs, waitLeftMs))
    const wantedMs = Math.min(request.leaseMs ?? this.deps.settings.watchdogTimeoutMs, request.maxHoldMs)
    if (this.counting.countsEntries) {
      await this.#countEntry(wantedMs, wantsToken, timeoutMs)
      return true
    }
    if (target.permits > this.value) throw upgradeRefused(target, this.owner)
    if (!this.isHeld || !this.#lasts(request, wantedMs)) await this.#sendExtension(wantedMs, timeoutMs)
    return true
  }

  /** Whether the store keeps the hold long enough for one more lease without a command. */
  #lasts({ leaseMs }: Request, wantedMs: number): boolean {
    if (leaseMs === null && this.leases.isRenewed) return true
    return this.clock.reaches(Math.min(monotonicMs() + wantedMs, this.leases.limitAt))
  }

  #sendExtension(wantedMs: number, timeoutMs: number): Promise<void> {
    return sendExtension(this.deps.steps, this.extension(wantedMs), timeoutMs, this.details)
  }

  async #countEntry(wantedMs: number, wantsToken: boolean, timeoutMs: number): Promise<void> {
    const sentAt = momentNow()
    const leaseMs = this.sending(wantedMs)
    const { address, owner } = this
    const entry = {
      owner,
      count: this.leases.count + 1,
      leaseMs,
      wantsToken: wantsToken && this.token === 0,
    }
    const token = await sendEntry(this.deps.steps, address, entry, timeoutMs)
    if (token === null) this.lose('not-held')
    else this.token ||= token
    this.assertNotLost()
    this.prove(sentAt, leaseMs)
  }

  /** Not when it was held to the end; only a command that got no reply kept the release from being sent. */
  #mayRelease(loss: LockLostError | undefined, wasLost: boolean): boolean {
    if (!loss) return true
    const isOverdue = loss.reason === 'expired' || loss.reason === 'ended'
    if (isOverdue && !wasLost) return false
    throw lossForCaller(loss)
  }

  #beginLeaving(): PendingRelease {
    const { watchdog, abandonment } = this.deps
    const count = this.value
    if (count === 0) {
      this.state = 'leaving'
      watchdog.delete(this)
      this.bodies?.letAllIn()
    } else {
      watchdog.reschedule(this)
    }
    const tombstoneMs = count === 0 && this.inDoubt ? abandonment.tombstoneMs(this.clock.leaseMs) : 0
    const { address, owner, deadlineAt: until } = this
    const title = titleOf(this.ownTarget)
    const unsent = { failures: 0, wasDenied: false, keepUntil: this.keepUntil }
    return { address, title, owner, count, tombstoneMs, until, incarnation: this.incarnation, ...unsent }
  }

  #send(release: PendingRelease, waitMs: number): Promise<ReleaseOutcome> {
    const { channels } = this.deps
    if (!channels?.wantsReleases || release.count > 0) return sendRelease(this.deps, release, waitMs)
    return channels.release(this, () => sendRelease(this.deps, release, waitMs), toPublished)
  }

  #onLeft(left: L | null, count: number, outcome: ReleaseOutcome): void {
    const { reports } = this.deps
    if (outcome === 'not-held') this.lose('not-held')
    this.assertNotLost()
    const isConfirmed = outcome !== 'unanswered'
    if (!isConfirmed) this.abandon()
    this.#endLeaving()
    reports.released(this, left?.entry.kind ?? this.kind, isConfirmed)
    const before = this.kind
    this.ownTarget = this.counting.left(this.ownTarget, count)
    if (this.kind !== before) reports.downgraded(this)
  }

  #endLeaving(): void {
    if (this.state !== 'leaving') return
    this.state = 'released'
    this.deps.holds.remove(this, 'released')
  }

  #open(target: Target, { leaseMs, maxHoldMs, atLeastMs }: Request, enteredAt: number): L {
    // From now on: the store has granted it by now, maybe only after the request was sent.
    if (atLeastMs !== undefined) this.keepUntil = Math.max(this.keepUntil, monotonicMs() + atLeastMs)
    const lease = this.deps.leaseMaker.makeLease(this, target, leaseMs, enteredAt + maxHoldMs)
    this.leases.add(lease.entry)
    this.deps.watchdog.reschedule(this)
    return lease
  }

  #addLease(target: Target, request: Request, waitedMs: number, enteredAt: number): L {
    const lease = this.#open(target, request, enteredAt)
    this.deps.reports.acquired(this, target.kind, waitedMs)
    return lease
  }
}

const toPublished = (outcome: ReleaseOutcome): 'released' | 'not-held' | 'unconfirmed' =>
  outcome === 'unanswered' ? 'unconfirmed' : outcome

/** One attempt: `false` when the hold was released before. */
type Attempt = (timeoutMs: number) => Promise<boolean>

/**
 * Repeats an attempt to enter a hold once more until the store replies, as long as the caller waits. Resolves with
 * whether the hold was entered.
 *
 * @param startedAt - when the caller began to wait
 */
export async function enterUntilAnswered(
  attempt: Attempt,
  { waitMs, signal }: Request,
  startedAt: number,
  reports: HoldReports,
  details: ErrorSubject,
): Promise<boolean> {
  for (let failures = 0; ;) {
    signal?.throwIfAborted()
    const waitLeftMs = waitMs === 0 ? Infinity : startedAt + waitMs - monotonicMs()
    try {
      return await attempt(Math.max(1, waitLeftMs))
    } catch (thrown) {
      const error = toHoldfastError(thrown, details)
      if (!(error instanceof UnavailableError) || waitMs === 0) throw error
      if (isTimeUp(startedAt + waitMs)) throw error
      reports.error(error)
      await pause(retryAfterMs(++failures))
    }
  }
}

/**
 * Has the store count one more entry of an owner that holds the lock. Resolves with the fencing token, 0 if there is none, or with
 * `null` when the owner holds nothing.
 */
async function sendEntry(
  steps: LockSteps,
  address: Address,
  request: Pick<AcquireRequest, 'owner' | 'count' | 'leaseMs' | 'wantsToken'>,
  timeoutMs: number,
): Promise<number | null> {
  const { leaseMs } = request
  const reply = await steps.acquire(
    address,
    { ...request, entryTtlMs: 0, grantLeaseMs: leaseMs, proof: '' },
    timeoutMs,
  )
  if (reply.kind === 'not-a-lock') throw notALock(address, reply)
  return reply.kind === 'held' ? reply.token : null
}
