import type { GrantNotice, StoreFacts } from '../engine/session.js'
import type { Confirmation, Confirmer } from '../engine/lock-steps.js'
import {
  titleOf,
  type AcquireReply,
  type BusyReply,
  type QueueEntryReply,
  type AcquireRequest,
  type Address,
  type Target,
} from '../engine/requests.js'
import { notALock } from '../errors/errors.js'
import type { AbandonedOwner } from '../holding/release.js'
import { Hold, type Acquired, type Grant } from '../holding/hold.js'
import type { Request } from '../options/options.js'
import type { Voter } from '../ownership/possession.js'
import type { StoreClient } from '../store-client.js'
import {
  dateNotice,
  dateReply,
  isAhead,
  momentNow,
  monotonicMs,
  timerMarginMs,
  type DatedGrant,
  type Moment,
  type RequestTime,
} from '../time/time.js'
import { alreadyAbandoned, notAcquired, repliedTooLate, type NotAcquired } from './outcome.js'
import { leaseToRequest, StoreWait, type State } from './wait.js'
import { readAheadMs, type Obstacle } from './waiter-table.js'

/** A free lock that is set aside for no longer than this only waits for another waiter's head start to end. */
const soonMs = 5

/**
 * One outermost acquisition, under an owner of its own. Its states are those of {@link StoreWait}; with `minReplicas`
 * confirming comes before every over that hands out a hold.
 *
 * A request that got no reply may still run: from then on the acquisition is in doubt, and abandoning its owner leaves a
 * tombstone.
 */
export class Acquisition extends StoreWait<Acquired | NotAcquired> {
  readonly #wantsToken: boolean
  readonly #voter: Voter | undefined
  #lastReply: LastReply | undefined
  #notice: GrantNotice | undefined
  #noticedAt = 0
  /** Whether a notice with the proof can only be from the store; `spent` once one has been published for sure. */
  #trust: 'whole' | 'lapsed' | 'spent' = 'whole'
  /** Since when the store has, or had as of its last reply, a hold of this owner that was not handed out. */
  #grantedAt: number | undefined
  /** How many permits its hold left free, if that may be more than any message says. */
  #free: number | undefined
  #wasRevoked = false

  /**
   * @param n - the number of its owner
   * @param wantedSince - when the caller wanted the object, if it had to wait for its turn in this process first
   * @param voter - if it is for the vote of a quorum
   */
  constructor(
    store: StoreClient,
    n: number,
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
    voter?: Voter,
  ) {
    super(store, n, target, request, wantedSince)
    this.#wantsToken = wantsToken
    this.#voter = voter
  }

  /** As of the last reply, or of what this client has learned since. */
  get obstacle(): Obstacle | undefined {
    const said = this.#lastReply
    if (!said) return undefined
    const { holder, position, heardAt } = said
    const standing = this.store.waiters.standingOf(this.address.id)
    return standing?.obstacleOf(this.owner, said) ?? { holder, position, at: heardAt.monotonicMs }
  }

  granted(notice: GrantNotice): boolean {
    if (this.#trust !== 'whole') return false
    this.#trust = 'spent'
    this.#notice = notice
    this.#noticedAt = monotonicMs()
    if (this.state === 'waiting' || this.state === 'pausing') this.#accept()
    return true
  }

  distrust(): void {
    if (this.#trust === 'whole') this.#trust = 'lapsed'
  }

  /** A request in doubt may have queued it again, with the same proof, after a grant that was missed. */
  trust(): void {
    if (this.#trust === 'lapsed' && !this.inDoubt) this.#trust = 'whole'
  }

  refreshed({ holder, position }: QueueEntryReply, askedAt: Moment): void {
    const last = this.#lastReply
    if (holder === undefined || !last || askedAt.monotonicMs < last.heardAt.monotonicMs) return
    const { sentAt, serverUs, freeAtMs } = last
    // What is beyond the reach of a refresh is no further back than before.
    const isKnown = position !== undefined
    const entered = isKnown ? this.#enteredHere : last.entered
    this.#lastReply = {
      sentAt,
      serverUs,
      freeAtMs,
      heardAt: askedAt,
      holder,
      heldSince: holder === last.holder ? last.heldSince : askedAt.monotonicMs,
      position: isKnown ? position : last.position,
      entered,
    }
  }

  /** A grant that was reported is void, and so may be a reply in flight. */
  revoked(): void {
    this.#notice = undefined
    this.#wasRevoked = true
    this.wake()
  }

  protected get hasEntry(): boolean {
    return (this.#lastReply?.position ?? 0) > 0
  }

  protected get inVain(): NotAcquired {
    const { obstacle } = this
    const { holder, heldSince } = this.#lastReply ?? {}
    const since = obstacle?.holder === holder ? heldSince : undefined
    return notAcquired(this, obstacle, this.waitedMs, this.options.inside, since)
  }

  protected send(timeoutMs: number): void {
    this.#wasRevoked = false
    const sentAt = momentNow()
    const leaseMs = this.#leaseMs
    const request = this.#buildRequest(leaseMs)
    this.take(
      this.store.steps.acquire(this.address, request, timeoutMs),
      (reply) => this.#onReply(reply, sentAt, leaseMs),
      (reply) => this.#onLateReply(reply, sentAt),
    )
  }

  protected override pause(): void {
    if (this.#notice) this.#accept()
    else super.pause()
  }

  protected override reportWaiting(obstacle: Obstacle): void {
    super.reportWaiting(obstacle)
    this.#voter?.waiting(obstacle.holder, obstacle.position)
  }

  protected readObstacle(): void {
    const { obstacle } = this
    if (!obstacle || monotonicMs() - obstacle.at < readAheadMs) return
    void this.store.waiters.read(this.address)
  }

  protected override onLimit(): void {
    const { confirmer } = this.store.session
    if (confirmer && this.state === 'confirming')
      this.fail(confirmer.shortfall(this.address, this.owner, 'wait ended'))
    else if (this.options.heir !== undefined || (this.#grantedAt !== undefined && this.isOutage))
      this.failUnreached()
    else super.onLimit()
  }

  protected override passOn(hasSucceeded: boolean, wasWoken: boolean): void {
    super.passOn(hasSucceeded, wasWoken)
    const mayMoreEnter = this.#free !== undefined && (this.#free > 0 || wasWoken)
    if (hasSucceeded && mayMoreEnter) this.store.waiters.wakeFirst(this.address.id)
  }

  /** A client that closes does not wait for replies. */
  override close(): void {
    this.settled = Promise.resolve()
    this.inDoubt ||= this.hasRequestInFlight
    super.close()
  }

  protected override mayRequest(): boolean {
    return this.store.abandonment.mayRequest(this)
  }

  protected abandon(from: State): void {
    const { abandonment } = this.store
    if (!this.hasRequested) {
      abandonment.withdraw(this)
    } else if (from === 'requesting') {
      abandonment.abandonLater(
        this.#abandoned,
        this.settled.then(() => this.#left),
      )
    } else {
      // Replicas may take long, and it holds the object meanwhile.
      this.inDoubt ||= from === 'confirming'
      if (this.#left) abandonment.abandon(this.#left)
    }
  }

  /** What the store may have of it. */
  get #left(): AbandonedOwner | undefined {
    return this.hasEntry || this.#grantedAt !== undefined || this.inDoubt ? this.#abandoned : undefined
  }

  get #abandoned(): AbandonedOwner {
    const { address, owner, target, inDoubt } = this
    return { address, title: titleOf(target), owner, inDoubt, leaseMs: this.#leaseMs }
  }

  #onLateReply(reply: AcquireReply, sentAt: Moment): void {
    if (reply.kind === 'held') this.#grantedAt ??= sentAt.monotonicMs
    if (reply.kind === 'busy')
      this.#lastReply = lastReplyOf(reply, sentAt, this.#enteredHere, this.#lastReply)
  }

  get #enteredHere(): number {
    return this.store.waiters.standingOf(this.address.id)?.entered ?? 0
  }

  get #leaseMs(): number {
    return leaseToRequest(this.options, this.store.settings, this.#grantedAt)
  }

  /** The lease of a hold that is granted to its queue entry. */
  #grantLeaseMs(leaseMs: number): number {
    return Math.min(leaseMs, this.store.settings.watchdogTimeoutMs)
  }

  #buildRequest(leaseMs: number): AcquireRequest {
    const { heir } = this.options
    const entryTtlMs = heir === undefined && this.takePlace() ? this.entryTtlMs : 0
    return {
      owner: this.owner,
      count: this.target.permits,
      size: this.target.size,
      leaseMs,
      entryTtlMs,
      grantLeaseMs: this.#grantLeaseMs(leaseMs),
      proof: entryTtlMs > 0 ? this.store.proofs.of(this.owner) : '',
      wantsToken: this.#wantsToken,
      heir,
    }
  }

  #onReply(reply: AcquireReply, sentAt: Moment, leaseMs: number): void {
    switch (reply.kind) {
      case 'held':
        if (this.#lastReply) this.store.looks.foundChange(this)
        this.#free = reply.free
        if (this.#wasRevoked) this.request()
        else this.#enterIfAhead(reply.token, sentAt, leaseMs)
        return
      case 'busy':
        this.#onBusy(reply, sentAt)
        return
      case 'not-a-lock':
        this.fail(notALock(this.address, reply))
        return
      case 'abandoned':
      case 'lost':
        // Only a request that this acquisition sent after its own end could cause this.
        this.fail(alreadyAbandoned(this))
    }
  }

  #onBusy(reply: BusyReply, sentAt: Moment): void {
    const { ttlMs, holder, position, againMs } = reply
    this.#grantedAt = undefined
    const before = this.#lastReply
    this.#lastReply = lastReplyOf(reply, sentAt, this.#enteredHere, before)
    if (before && isChanged(before, this.#lastReply)) this.store.looks.foundChange(this)
    // A position only ever falls while the entry lives.
    const isNewEntry = position > (before?.position ?? 0)
    this.enter('waiting')
    const isFreeSoon = holder === '' && ttlMs <= soonMs
    const { waitMs, heir } = this.options
    if (waitMs === 0 || heir !== undefined) this.end(this.inVain)
    else if (this.#notice) this.#accept()
    else this.wait(ttlMs, isNewEntry, isFreeSoon ? ttlMs + timerMarginMs : undefined, againMs)
  }

  #accept(): void {
    const notice = this.#notice
    this.#notice = undefined
    if (!notice) return
    const { steps, settings, reports, session } = this.store
    const wantedMs = this.#leaseMs
    const leaseMs = Math.min(notice.leaseMs, this.#grantLeaseMs(wantedMs))
    const dated = dateNotice(notice, leaseMs, this.#lastReply, this.#noticedAt, settings.marginMs)
    steps.noteToken?.(this.address, notice.token)
    reports.granted(this, notice.token, dated ? this.#noticedAt - dated.grantedAt : undefined)
    this.#voter?.granted()
    if (this.isOver) return
    // A grant lasts one watchdog time at most; a longer fixed lease is set by one more request, as for replicas.
    const isEnough = leaseMs >= wantedMs || session.confirmer !== undefined
    const requestedAt = this.#lastReply?.sentAt
    if (dated && requestedAt && isEnough && this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {
      this.#enter(notice.token, requestedAt, leaseMs, dated)
    } else {
      this.request()
    }
  }

  #isAhead(deadlineAt: number, requestedAt: Moment, leaseMs: number): boolean {
    const { facts, settings } = this.store
    const claimableUntil = Math.min(deadlineAt, facts.aliveUntil ?? Infinity)
    return isAhead(claimableUntil, requestedAt, leaseMs, settings.marginMs)
  }

  #enterIfAhead(token: number, requestedAt: Moment, leaseMs: number): void {
    const dated = dateReply(requestedAt, leaseMs, this.store.settings.marginMs)
    if (this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {
      this.#enter(token, requestedAt, leaseMs, dated)
      return
    }
    this.inDoubt = true
    this.onFailure(repliedTooLate(this))
  }

  #enter(token: number, requestedAt: Moment, leaseMs: number, dated: DatedGrant): void {
    const { confirmer } = this.store.session
    // Confirming a grant once more does not change when it was made.
    if (confirmer) this.#confirm(confirmer, (this.#grantedAt ??= dated.grantedAt))
    else this.#handOut(token, requestedAt, leaseMs, dated, true)
  }

  #confirm(confirmer: Confirmer, grantedAt: number): void {
    this.enter('confirming')
    this.requestAgain = false
    // Its limit was that of a single attempt's checks and request.
    if (this.options.waitMs === 0) this.endLimit()
    const next = (): AcquireRequest | null => {
      if (this.isOver) return null
      // A request that is sent after an eviction is also answered after it.
      this.#wasRevoked = false
      return this.#buildRequest(this.#leaseMs)
    }
    confirmGrant(confirmer, this.store.facts, this.address, next).then(
      (observed) => this.#onConfirmation(confirmer, observed, grantedAt),
      (error: unknown) => this.onFailure(error),
    )
  }

  #onConfirmation(confirmer: Confirmer, observed: ObservedConfirmation, grantedAt: number): void {
    const { confirmation, isProven } = observed
    if (observed.mayRepeat) this.inDoubt = true
    if (this.isOver) return
    this.answered()
    const { reply, sentAt, leaseMs } = confirmation
    if (reply.kind !== 'held' || this.#wasRevoked) {
      this.#onReply(reply, sentAt, leaseMs)
      return
    }
    this.#free = reply.free
    const { deadlineAt } = dateReply(sentAt, leaseMs, this.store.settings.marginMs)
    if (this.#isConfirmed(confirmer, confirmation, deadlineAt)) {
      this.#handOut(reply.token, sentAt, leaseMs, { grantedAt, deadlineAt }, isProven)
    } else {
      this.fail(confirmer.shortfall(this.address, this.owner, confirmation))
    }
  }

  #isConfirmed({ wanted }: Confirmer, confirmation: Confirmation, deadlineAt: number): boolean {
    const { acknowledged, sentAt, leaseMs } = confirmation
    return acknowledged >= wanted && this.#isAhead(deadlineAt, sentAt, leaseMs)
  }

  #handOut(
    fencingToken: number,
    requestedAt: Moment,
    leaseMs: number,
    { grantedAt, deadlineAt }: DatedGrant,
    isProven: boolean,
  ): void {
    const { target, n, owner, inDoubt } = this
    const grant: Grant = {
      target,
      n,
      owner,
      fencingToken,
      requestedAt,
      grantedAt,
      deadlineAt,
      leaseMs,
      inDoubt,
      isProven,
    }
    this.store.waiters.entered(this, this.hasEntry)
    this.succeed(() =>
      Hold.open(this.store, grant, this.options, monotonicMs() - this.waitsSince, this.#voter),
    )
  }
}

/** A confirmation, and what the connections did while it was under way. */
export interface ObservedConfirmation {
  readonly confirmation: Confirmation
  /** The request may have been sent twice. */
  readonly mayRepeat: boolean
  /** No connection for commands broke since, so the store that confirmed the hold is the one that will renew it. */
  readonly isProven: boolean
}

/**
 * Has replicas confirm a grant.
 *
 * @param next - makes the request when it is sent; `null`: no longer wanted
 */
async function confirmGrant(
  confirmer: Confirmer,
  store: StoreFacts,
  address: Address,
  next: () => AcquireRequest | null,
): Promise<ObservedConfirmation> {
  const epoch = confirmer.connectionEpoch
  const commandEpoch = store.connectionEpoch
  const confirmation = await confirmer.confirm(address, next)
  return {
    confirmation,
    mayRepeat: epoch !== confirmer.connectionEpoch,
    isProven: commandEpoch === store.connectionEpoch,
  }
}

/** What the last busy reply said, and refreshes since. */
export interface LastReply extends RequestTime {
  /** When holder and position were asked for. */
  readonly heardAt: Moment
  /** When the lock may be free, by the clock of the store in milliseconds, if the reply says so. */
  readonly freeAtMs: number | undefined
  readonly holder: string
  /** Since when at least that is the holder, on the monotonic clock. */
  readonly heldSince: number
  readonly position: number
  /** How many waiters of this client had entered by then, as its standing counts. */
  readonly entered: number
}

/** Of the same instant, two replies may differ by the rounding of its parts. */
const roundingMs = 2

/**
 * @param entered - as its standing counts
 * @param before - the reply before
 */
export function lastReplyOf(
  { holder, position, serverUs, ttlMs }: BusyReply,
  sentAt: Moment,
  entered: number,
  before: LastReply | undefined,
): LastReply {
  const freeAtMs = serverUs === undefined ? undefined : serverUs / 1_000 + ttlMs
  // Not with `...`, which makes an object that V8 handles as a dictionary.
  const heldSince = before?.holder === holder ? before.heldSince : sentAt.monotonicMs
  return { sentAt, serverUs, freeAtMs, heardAt: sentAt, holder, heldSince, position, entered }
}

/** Whether something has happened to the lock between two replies: it was acquired, or its lease was renewed. */
export function isChanged(before: LastReply, { holder, freeAtMs }: LastReply): boolean {
  if (holder !== before.holder) return true
  if (freeAtMs === undefined || before.freeAtMs === undefined) return false
  return Math.abs(freeAtMs - before.freeAtMs) > roundingMs
}
