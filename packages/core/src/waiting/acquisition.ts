import { traceAcquire } from '../channels/acquire.js'
import type { TracedAcquisition } from '../channels/acquire.js'
import { isObserved, operations } from '../channels/channels.js'
import { contextOfCall } from '../channels/in-context.js'
import type { Confirmation, Confirmer } from '../engine/confirmer.js'
import { isAwaited } from '../engine/latch.js'
import type { Awaited, LatchWaitReply } from '../engine/latch.js'
import type { AcquireReply, BusyReply, QueueEntryReply } from '../engine/replies.js'
import type { AcquireRequest, Address } from '../engine/requests.js'
import type { GrantNotice } from '../engine/session.js'
import { InvalidArgumentError, UnavailableError } from '../errors.js'
import type { HoldfastError } from '../errors.js'
import type { Grant } from '../holding/grant.js'
import type { Request } from '../options.js'
import { ownerOf } from '../engine/owner.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import { notALock, toHoldfastError } from '../store-errors.js'
import { onAbort } from '../util/abort.js'
import { retryAfterMs } from '../util/backoff.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { ListNode } from '../util/linked-list.js'
import type { AcquisitionDeps } from './acquisition-deps.js'
import { confirmGrant } from './confirming.js'
import type { ObservedConfirmation } from './confirming.js'
import { dateNotice, dateReply, isAhead } from './grant-dating.js'
import type { DatedGrant, RequestTime } from './grant-dating.js'
import type { NotAcquired } from './outcome.js'
import { entryTtlToRequest, leaseToRequest, timeoutOf } from './request.js'
import { detailsOf, notAcquired, reportGranted, reportWaiting } from './wait-reports.js'
import type { Obstacle } from './standing.js'
import { readAheadMs } from './waiter-table.js'
import type { Waiter } from './waiter-table.js'
import {
  alreadyAbandoned,
  closedWhileWaiting,
  latchGone,
  notReached,
  repliedTooLate,
  tooManyWaiters,
} from './wording.js'

/** A free lock that is set aside for no longer than this only waits for another waiter's head start to end. */
const soonMs = 5

/** Timers may fire a millisecond early. */
const timerMarginMs = 1

/** What the last busy reply said, and refreshes since. */
interface LastReply extends RequestTime {
  /** When holder and position were asked for. */
  readonly heardAt: Moment
  readonly holder: string
  readonly position: number
  readonly awaited: Awaited | undefined
  /** How many waiters of this client had entered by then, as its standing counts. */
  readonly entered: number
}

/**
 * One outermost acquisition, under an owner of its own.
 *
 * | State      | true in it                                              | leaves it on                                         |
 * | ---------- | ------------------------------------------------------- | ---------------------------------------------------- |
 * | starting   | the client's first-use checks run                       | done → requesting; failed → pausing                  |
 * | requesting | exactly one request is in flight                        | held → over; busy → waiting; failed → pausing        |
 * | waiting    | the last reply was busy; mostly an entry in the queue   | grant → over; woken (TTL, own turn, notice, gap) →   |
 * |            |                                                         | requesting                                           |
 * | pausing    | the last command failed, nothing is in flight           | pause over, or woken → starting; grant → over        |
 * | confirming | granted; its request is repeated for replicas           | replicas have it, or too few in time → over; else as |
 * |            |                                                         | requesting                                           |
 * | over       | the result was given, timer and listener are gone       | -                                                    |
 *
 * With `minReplicas` confirming comes before every over that hands out a hold.
 * A wait for a latch is one too: closed is its busy, and passed its held, but that it holds nothing afterwards.
 * Every state but over also ends by `waitMs`, by the signal, by `close()` and by a refusal.
 * A request that got no reply may still run: from then on the acquisition is in doubt, and abandoning its owner leaves a
 * tombstone.
 */
export class Acquisition<A> implements Waiter {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly #deps: AcquisitionDeps<A>
  readonly #options: Request
  readonly #wantsToken: boolean
  readonly #startedAt = monotonicMs()
  readonly #wantedSince: number
  #state: 'starting' | 'requesting' | 'waiting' | 'pausing' | 'confirming' | 'over' = 'starting'
  #settle: { resolve(result: A | NotAcquired): void; reject(error: unknown): void } | undefined
  #stopListening: (() => void) | undefined
  #node: ListNode<Waiter> | undefined
  #waitTimer: NodeJS.Timeout | undefined
  /** Of a pause, or of a turn that has not begun. */
  #retryTimer: NodeJS.Timeout | undefined
  #lastReply: LastReply | undefined
  #notice: GrantNotice | undefined
  #noticedAt = 0
  /** Whether a notice with the proof can only be from the store; `spent` once one has been published for sure. */
  #trust: 'whole' | 'lapsed' | 'spent' = 'whole'
  #failures = 0
  /** Why the last command failed, unless one was answered since. */
  #lastError: HoldfastError | undefined
  #hasSlot = false
  #hasRequested = false
  #inDoubt = false
  /** Since when the store has, or had as of its last reply, a hold of this owner that was not handed out. */
  #grantedAt: number | undefined
  #requestAgain = false
  /** How many permits its hold left free, if that may be more than any message says. */
  #free: number | undefined
  #wasRevoked = false
  #reportedWaiting = false
  #isSubscribing = false
  #isWatching = false

  /** @param wantedSince - when the caller wanted the lock, if it had to wait for its turn in this process first */
  constructor(
    deps: AcquisitionDeps<A>,
    target: Target,
    options: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ) {
    const inContext = contextOfCall()
    this.#deps = inContext ? { ...deps, admit: (...args) => inContext(() => deps.admit(...args)) } : deps
    this.#wantedSince = wantedSince ?? this.#startedAt
    this.target = target
    this.n = deps.nextOwner()
    this.owner = ownerOf(deps.settings.clientId, this.n)
    this.#options = options
    this.#wantsToken = wantsToken
  }

  get address(): Address {
    return this.target.address
  }

  /** Made when first needed: few acquisitions ever wait. */
  get node(): ListNode<Waiter> {
    return (this.#node ??= new ListNode<Waiter>(this))
  }

  /** Whether it waits in the queue, as far as it knows, with no request in flight. */
  get isQueued(): boolean {
    return this.#state === 'waiting' && this.#hadEntry
  }

  get entryTtlMs(): number {
    return entryTtlToRequest(this.#deps.settings, this.#waitLeftMs())
  }

  /** Which opening of a latch it waits for, as of the last reply. */
  get awaited(): Awaited | undefined {
    return this.#lastReply?.awaited
  }

  get waitsSince(): number {
    return this.#wantedSince
  }

  /** As of the last reply, or of what this client has learned since. */
  get obstacle(): Obstacle | undefined {
    const said = this.#lastReply
    if (!said) return undefined
    const { holder, position, heardAt } = said
    const standing = this.#deps.waiters.standingOf(this.address.id)
    return standing?.obstacleOf(this.owner, said) ?? { holder, position, at: heardAt.monotonicMs }
  }

  get #subject(): TracedAcquisition['subject'] {
    const { clientId, engine } = this.#deps.settings
    return { clientId, engine, name: this.address.name, kind: this.target.kind, owner: this.owner }
  }

  get #enteredHere(): number {
    return this.#deps.waiters.standingOf(this.address.id)?.entered ?? 0
  }

  get #hadEntry(): boolean {
    return (this.#lastReply?.position ?? 0) > 0
  }

  /** Whether another owner was in the way, or a latch closed, as of a reply. */
  get isContended(): boolean {
    return this.#lastReply !== undefined
  }

  /** `run()` for a call of the application, published to those who listen. */
  runTraced(): Promise<A | NotAcquired> {
    if (!isObserved(operations.acquire)) return this.run()
    return traceAcquire(
      {
        subject: this.#subject,
        request: this.#options,
        wantedSince: this.#wantedSince,
        isContended: () => this.isContended,
      },
      () => this.run(),
    )
  }

  run(): Promise<A | NotAcquired> {
    const { signal, waitMs } = this.#options
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#deps.waiters.add(this)
      if (signal?.aborted) {
        this.#fail(signal.reason)
        return
      }
      if (signal)
        this.#stopListening = onAbort(signal, () => {
          this.#fail(signal.reason)
        })
      if (waitMs > 0 && waitMs !== Infinity) this.#limitWait(waitMs)
      this.#start()
    })
  }

  wake(): void {
    if (this.#state === 'waiting') this.#request()
    else if (this.#state === 'pausing') this.#start()
    else if (this.#hasRequestInFlight) this.#requestAgain = true
  }

  granted(notice: GrantNotice): boolean {
    if (this.#trust !== 'whole') return false
    this.#trust = 'spent'
    this.#notice = notice
    this.#noticedAt = monotonicMs()
    if (this.#state === 'waiting' || this.#state === 'pausing') this.#accept()
    return true
  }

  distrust(): void {
    if (this.#trust === 'whole') this.#trust = 'lapsed'
  }

  /** A request in doubt may have queued it again, with the same proof, after a grant that was missed. */
  trust(): void {
    if (this.#trust === 'lapsed' && !this.#inDoubt) this.#trust = 'whole'
  }

  told({ holder, position }: QueueEntryReply, askedAt: Moment): void {
    const last = this.#lastReply
    if (holder === undefined || !last || askedAt.monotonicMs < last.heardAt.monotonicMs) return
    const { sentAt, serverUs, awaited } = last
    // What is beyond the reach of a refresh is no further back than before.
    const isKnown = position !== undefined
    const entered = isKnown ? this.#enteredHere : last.entered
    this.#lastReply = {
      sentAt,
      serverUs,
      heardAt: askedAt,
      holder,
      position: isKnown ? position : last.position,
      awaited,
      entered,
    }
  }

  /** Another opening than the awaited one proves nothing, but a later one says that something was missed. */
  opened(generation: number): void {
    const { awaited } = this
    if (awaited && isAwaited(awaited, generation)) this.#pass(generation)
    else if (!awaited || generation > awaited.generation) this.wake()
  }

  /** A grant that was reported is void, and so may be a reply in flight. */
  revoked(): void {
    this.#notice = undefined
    this.#wasRevoked = true
    this.wake()
  }

  close(): void {
    this.#fail(closedWhileWaiting(this.target, detailsOf(this)))
  }

  #start(): void {
    this.#state = 'starting'
    clearTimeout(this.#retryTimer)
    const ready = this.#deps.ready(this.address)
    if (!ready) {
      this.#request()
      return
    }
    // The checks are several commands: together they get no longer than one.
    if (this.#options.waitMs === 0) this.#endAfter(this.#deps.settings.commandTimeoutMs)
    ready.then(
      () => {
        this.#request()
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #request(): void {
    if (this.#state === 'over') return
    this.#state = 'requesting'
    clearTimeout(this.#retryTimer)
    this.#requestAgain = false
    this.#wasRevoked = false
    this.#hasRequested = true
    const { session, settings } = this.#deps
    const epoch = session.connectionEpoch
    const sentAt = momentNow()
    const leaseMs = this.#leaseMs()
    const request = this.#buildRequest(leaseMs)
    const timeoutMs = timeoutOf(this.#options, settings, this.#waitLeftMs())
    session.acquire(this.address, request, timeoutMs, this.awaited).then(
      (reply) => {
        // A driver that repeats what a break interrupted may have sent it twice; the other copy may still arrive.
        if (epoch !== session.connectionEpoch) this.#inDoubt = true
        this.#onReply(reply, sentAt, leaseMs)
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #buildRequest(leaseMs: number): AcquireRequest {
    const entryTtlMs = this.#mayQueue() ? this.entryTtlMs : 0
    return {
      owner: this.owner,
      count: this.target.permits,
      size: this.target.size,
      leaseMs,
      entryTtlMs,
      grantLeaseMs: this.#grantLeaseMs(leaseMs),
      proof: entryTtlMs > 0 ? this.#deps.proofs.of(this.owner) : '',
      wantsToken: this.#wantsToken,
    }
  }

  #onReply(reply: AcquireReply | LatchWaitReply, sentAt: Moment, leaseMs: number): void {
    if (this.#state === 'over') return
    this.#state = 'waiting'
    this.#failures = 0
    this.#lastError = undefined
    switch (reply.kind) {
      case 'held':
        this.#free = reply.free
        if (this.#wasRevoked) this.#request()
        else this.#enterIfAhead(reply.token, sentAt, leaseMs)
        return
      case 'busy':
        this.#onBusy(reply, sentAt)
        return
      case 'closed':
        this.#onClosed(reply.awaited, sentAt)
        return
      case 'passed':
        // Others here that wait for the same opening need not ask.
        if (this.#lastReply) this.#deps.waiters.opened(this.address.id, reply.generation)
        this.#pass(reply.generation)
        return
      case 'gone':
        this.#fail(latchGone(this.target, detailsOf(this)))
        return
      case 'not-a-lock':
        this.#fail(notALock(this.address, reply))
        return
      case 'abandoned':
      case 'lost':
        // Only a request that this acquisition sent after its own end could cause this.
        this.#fail(alreadyAbandoned(this.target, detailsOf(this)))
    }
  }

  #onBusy({ ttlMs, serverUs, holder, position }: BusyReply, sentAt: Moment): void {
    this.#grantedAt = undefined
    // A position only ever falls while the entry lives.
    const isNewEntry = position > (this.#lastReply?.position ?? 0)
    // Not with `...`, which makes an object that V8 handles as a dictionary.
    const entered = this.#enteredHere
    this.#lastReply = { sentAt, serverUs, heardAt: sentAt, holder, position, awaited: undefined, entered }
    this.#wait(ttlMs, isNewEntry)
  }

  /** It opens at no time that is known now: only a notification, or a refresh, ends the wait. */
  #onClosed(awaited: Awaited, sentAt: Moment): void {
    const position = this.#mayQueue() ? 1 : 0
    const serverUs = undefined
    this.#lastReply = { sentAt, serverUs, heardAt: sentAt, holder: '', position, awaited, entered: 0 }
    this.#wait(Infinity, false)
  }

  #wait(ttlMs: number, isNewEntry: boolean): void {
    const { waiters, settings } = this.#deps
    if (this.#options.waitMs === 0) {
      this.#end(this.#notAcquired())
      return
    }
    if (this.#notice) {
      this.#accept()
      return
    }
    if (!this.#hadEntry && !this.#takeSlot()) {
      this.#fail(tooManyWaiters(this.target, settings.maxWaiters, detailsOf(this)))
      return
    }
    if (!this.#hadEntry && !settings.polls) this.#subscribe()
    waiters.wait(this, isNewEntry)
    const isFreeSoon = this.#lastReply?.holder === '' && ttlMs <= soonMs
    // By a timer of its own: what other waiters learn, such as how long this one's turn lasts, must not put it off.
    if (isFreeSoon) this.#retryIn(ttlMs + timerMarginMs)
    else waiters.noteTtl(this.address, ttlMs)
    this.#reportWaiting()
    // Its own timer also covers anything that it was woken for in the meantime.
    if (this.#requestAgain && !isFreeSoon && !this.#isOver) this.#request()
  }

  /** It is not queued only because no notification would arrive: requests an entry as soon as they do. */
  #subscribe(): void {
    const { session } = this.#deps
    if (session.isSubscribed(this.address)) {
      this.#requestAgain = true
      return
    }
    if (this.#isSubscribing) return
    this.#isSubscribing = true
    this.#watch()
    session.subscribe(this.address).then(
      () => {
        this.wake()
      },
      (error: unknown) => {
        this.#fail(toHoldfastError(error, detailsOf(this)))
      },
    )
  }

  #watch(): void {
    const { session, waiters } = this.#deps
    if (this.#isWatching || !session.watch) return
    this.#isWatching = true
    session.watch(this.address)
    // In the list from now on: a notification may arrive before the reply to the request that goes out next.
    waiters.wait(this, false)
  }

  #accept(): void {
    const notice = this.#notice
    this.#notice = undefined
    if (!notice) return
    const { marginMs } = this.#deps.settings
    const leaseMs = Math.min(notice.leaseMs, this.#grantLeaseMs(this.#leaseMs()))
    const dated = dateNotice({ ...notice, leaseMs }, this.#lastReply, this.#noticedAt, marginMs)
    this.#deps.session.noteToken?.(this.address, notice.token)
    reportGranted(
      this.#deps.events,
      this,
      notice.token,
      dated ? this.#noticedAt - dated.grantedAt : undefined,
    )
    if (this.#isOver) return
    // A grant lasts one watchdog time at most; a longer fixed lease is set by one more request, as for replicas.
    const isEnough = leaseMs >= this.#leaseMs() || this.#deps.confirmer !== undefined
    const requestedAt = this.#lastReply?.sentAt
    if (dated && requestedAt && isEnough && this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {
      this.#enter(notice.token, requestedAt, leaseMs, dated)
    } else {
      this.#request()
    }
  }

  #isAhead(deadlineAt: number, requestedAt: Moment, leaseMs: number): boolean {
    return isAhead(deadlineAt, requestedAt, leaseMs, this.#deps.settings.marginMs)
  }

  #enterIfAhead(token: number, requestedAt: Moment, leaseMs: number): void {
    const dated = dateReply(requestedAt, leaseMs, this.#deps.settings.marginMs)
    if (this.#isAhead(dated.deadlineAt, requestedAt, leaseMs)) {
      this.#enter(token, requestedAt, leaseMs, dated)
      return
    }
    this.#inDoubt = true
    this.#onFailure(repliedTooLate(this.target, detailsOf(this)))
  }

  #enter(token: number, requestedAt: Moment, leaseMs: number, dated: DatedGrant): void {
    const { confirmer } = this.#deps
    // Confirming a grant once more does not change when it was made.
    if (confirmer) this.#confirm(confirmer, (this.#grantedAt ??= dated.grantedAt))
    else this.#handOut(token, requestedAt, leaseMs, dated, true)
  }

  #confirm(confirmer: Confirmer, grantedAt: number): void {
    this.#state = 'confirming'
    clearTimeout(this.#retryTimer)
    this.#requestAgain = false
    // Its limit was that of a single attempt's checks and request.
    if (this.#options.waitMs === 0) clearTimeout(this.#waitTimer)
    const next = (): AcquireRequest | null => {
      if (this.#isOver) return null
      // A request that is sent after an eviction is also answered after it.
      this.#wasRevoked = false
      return this.#buildRequest(this.#leaseMs())
    }
    confirmGrant(confirmer, this.#deps.session, this.address, next).then(
      (observed) => {
        this.#onConfirmation(confirmer, observed, grantedAt)
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #onConfirmation(confirmer: Confirmer, observed: ObservedConfirmation, grantedAt: number): void {
    const { confirmation, isProven } = observed
    if (observed.mayRepeat) this.#inDoubt = true
    const { reply, sentAt, leaseMs } = confirmation
    if (reply.kind !== 'held' || this.#wasRevoked) {
      this.#onReply(reply, sentAt, leaseMs)
      return
    }
    if (this.#state === 'over') return
    this.#free = reply.free
    this.#state = 'waiting'
    const { deadlineAt } = dateReply(sentAt, leaseMs, this.#deps.settings.marginMs)
    if (this.#isConfirmed(confirmer, confirmation, deadlineAt)) {
      this.#handOut(reply.token, sentAt, leaseMs, { grantedAt, deadlineAt }, isProven)
    } else {
      this.#fail(confirmer.shortfall(this.address, this.owner, confirmation))
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
    const { target, n, owner } = this
    const inDoubt = this.#inDoubt
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
    const settle = this.#settle
    this.#deps.waiters.entered(this, this.#hadEntry)
    this.#finish(true)
    settle?.resolve(this.#deps.admit(grant, this.#options, monotonicMs() - this.#wantedSince))
  }

  #pass(generation: number): void {
    const settle = this.#settle
    const passed = this.#deps.pass?.(generation)
    if (this.#finish(true) && passed !== undefined) settle?.resolve(passed)
  }

  #leaseMs(): number {
    return leaseToRequest(this.#options, this.#deps.settings, this.#grantedAt, monotonicMs())
  }

  /** The lease of a hold that is granted to its queue entry. */
  #grantLeaseMs(leaseMs: number): number {
    return Math.min(leaseMs, this.#deps.settings.watchdogTimeoutMs)
  }

  #waitLeftMs(): number {
    return this.#startedAt + this.#options.waitMs - monotonicMs()
  }

  /** A queue entry whose owner no notification can reach would only be skipped. */
  #mayQueue(): boolean {
    if (this.#options.waitMs === 0) return false
    if (this.#hadEntry) return true
    if (!this.#deps.session.isSubscribed(this.address) || !this.#takeSlot()) return false
    this.#watch()
    return true
  }

  #takeSlot(): boolean {
    this.#hasSlot ||= this.#deps.waiters.takeSlot()
    return this.#hasSlot
  }

  #reportWaiting(): void {
    const { events, settings } = this.#deps
    if (this.#reportedWaiting || !this.#lastReply) return
    this.#reportedWaiting = true
    reportWaiting(events, this, this.#lastReply, settings.clientId, this.#options.inside)
  }

  #notAcquired(): NotAcquired {
    const waitedMs = Math.round(monotonicMs() - this.#startedAt)
    return notAcquired(this, this.obstacle, waitedMs, this.#options.inside)
  }

  #onFailure(thrown: unknown): void {
    if (this.#state === 'over') return
    // What the engine refused for its arguments was not sent.
    if (this.#hasRequestInFlight && !(thrown instanceof InvalidArgumentError)) this.#inDoubt = true
    this.#state = 'pausing'
    const bare = toHoldfastError(thrown)
    const error = toHoldfastError(bare, detailsOf(this))
    if (!(error instanceof UnavailableError) || this.#options.waitMs === 0) {
      this.#fail(error)
      return
    }
    this.#lastError = bare
    this.#deps.events.emitError(error)
    if (this.#isOver) return
    if (this.#notice) this.#accept()
    else this.#retryIn(retryAfterMs(++this.#failures))
  }

  #retryIn(ms: number): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => {
      this.wake()
    }, ms)
  }

  #onWaitEnd(): void {
    const { confirmer, settings } = this.#deps
    if (confirmer && this.#state === 'confirming') {
      this.#fail(confirmer.shortfall(this.address, this.owner, 'wait ended'))
      return
    }
    if (this.#lastReply && this.#grantedAt === undefined) {
      this.#end(this.#notAcquired())
      return
    }
    const waitedMs = Math.round(monotonicMs() - this.#startedAt)
    const cause = this.#lastError ?? this.#deps.lastErrorSince(this.#startedAt)
    this.#fail(notReached(this.target, settings, waitedMs, cause, detailsOf(this)))
  }

  /** Shortly before the end of a longer wait it is read who is in the way, unless that was heard just now. */
  #limitWait(waitMs: number): void {
    const inMs = waitMs - readAheadMs
    if (inMs < readAheadMs) {
      this.#endAfter(waitMs)
      return
    }
    this.#waitTimer = setTimeout(() => {
      this.#endAfter(Math.max(0, Math.ceil(this.#waitLeftMs())))
      this.#readObstacle()
    }, inMs)
  }

  #readObstacle(): void {
    const { session, waiters } = this.#deps
    const { obstacle } = this
    if (!obstacle || monotonicMs() - obstacle.at < readAheadMs) return
    void waiters.read(this.address, session)
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#waitTimer)
    this.#waitTimer = setTimeout(() => {
      this.#onWaitEnd()
    }, ms)
  }

  get #hasRequestInFlight(): boolean {
    return this.#state === 'requesting' || this.#state === 'confirming'
  }

  /** Listeners may end an acquisition from within. */
  get #isOver(): boolean {
    return this.#state === 'over'
  }

  #fail(error: unknown): void {
    const settle = this.#settle
    if (this.#finish(false)) settle?.reject(error)
  }

  #end(result: NotAcquired): void {
    const settle = this.#settle
    if (this.#finish(false)) settle?.resolve(result)
  }

  /** Whether this call was the one that ended it. The caller's result waits for nothing that is sent here. */
  #finish(isHeld: boolean): boolean {
    if (this.#state === 'over') return false
    const inFlight = this.#hasRequestInFlight && !isHeld
    this.#state = 'over'
    clearTimeout(this.#waitTimer)
    clearTimeout(this.#retryTimer)
    this.#stopListening?.()
    const { session, waiters, abandonment } = this.#deps
    if (this.#hasSlot) waiters.freeSlot()
    waiters.delete(this)
    this.#passOn(isHeld, this.#requestAgain || inFlight)
    if (this.#isWatching) session.unwatch?.(this.address)
    const mayHaveLeftTraces = this.#hadEntry || this.#grantedAt !== undefined || this.#inDoubt || inFlight
    if (!isHeld && this.#hasRequested && mayHaveLeftTraces) {
      const { address, owner } = this
      abandonment.abandon({
        address,
        title: titleOf(this.target),
        owner,
        inDoubt: this.#inDoubt || inFlight,
        leaseMs: this.#leaseMs(),
      })
    }
    return true
  }

  /** Others here may have a chance of which no notification tells them. */
  #passOn(isHeld: boolean, wasWoken: boolean): void {
    const { waiters } = this.#deps
    if (!isHeld) waiters.passOn(this, wasWoken)
    else if (this.#free !== undefined && (this.#free > 0 || wasWoken)) waiters.wakeFirst(this.address.id)
  }
}
