import { onAbort } from '../util/abort.js'
import type { Client } from '../client.js'
import { momentNow, monotonicMs } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { isAhead, placeAnswer, placeGrant } from '../holding/deadline.js'
import type { PlacedGrant } from '../holding/deadline.js'
import { ClosedError, UnavailableError, TooManyWaitersError } from '../errors.js'
import type { HoldfastErrorDetails } from '../errors.js'
import { Hold } from '../holding/hold.js'
import type { LockKeys } from '../redis/keys.js'
import type { Watched } from '../redis/redisson/release-watch.js'
import { clientOf, ownerOf } from '../redis/keys.js'
import type { Lease } from '../objects/lease.js'
import { Link } from '../util/linked-list.js'
import type { Request } from '../options.js'
import { restMs } from '../util/backoff.js'
import type { AskAnswer, BusyAnswer } from '../redis/commands.js'
import { faultOf } from '../redis/errors.js'
import type { Ask } from '../redis/kinds/lock.js'
import { notALock } from '../holding/release.js'
import type { Confirmation, Replication } from '../redis/replication.js'

/** With Redisson: a lock that is free but not to be had for so long has a head start to wait for, of 5 ms at most. */
const soonMs = 5

/** Timers may ring a millisecond early. */
const timerMarginMs = 1

/** A lock that was acquired, and the first lease of it. */
export interface Entered {
  readonly hold: Hold
  readonly lease: Lease
}

/** Somebody else kept the lock. */
export interface Kept {
  readonly holder: string | undefined
  readonly position: number
  readonly waitedMs: number
}

/** A grant as its notice tells it. */
export interface GrantNotice {
  readonly token: number
  readonly serverUs: number
  readonly leaseMs: number
}

/**
 * One outermost acquisition, under an owner of its own.
 *
 * | State      | true in it                                            | leaves it on                                      |
 * | ---------- | ----------------------------------------------------- | ------------------------------------------------- |
 * | starting   | the client's first-use checks run                     | done → asking; failed → resting                   |
 * | asking     | exactly one ask is in flight                          | held → over; busy → waiting; failed → resting     |
 * | waiting    | the last answer was busy; mostly a place in the queue | grant → over; woken (TTL, turn, word, gap) →      |
 * |            |                                                       | asking                                            |
 * | resting    | the last command failed, nothing is in flight         | rest over, or woken → starting; grant → over      |
 * | confirming | granted; its ask is repeated for replicas to hear of  | replicas have it, or too few in time → over; else |
 * |            |                                                       | as asking                                         |
 * | over       | the result was given, timer and listener are gone     | -                                                 |
 *
 * With `minReplicas` confirming comes before every over that hands out a hold.
 * Every state but over also ends by `waitMs`, by the signal, by `close()` and by a refusal.
 * An ask that got no answer may still run: from then on the acquisition is in doubt, and whoever gives its owner up
 * has late asks refused.
 */
export class Acquisition {
  readonly keys: LockKeys
  readonly n: number
  readonly owner: string
  readonly #client: Client
  readonly #request: Request
  readonly #wantsToken: boolean
  readonly #startedAt = monotonicMs()
  readonly #wantedSince: number
  #state: 'starting' | 'asking' | 'waiting' | 'resting' | 'confirming' | 'over' = 'starting'
  #settle: { resolve(result: Entered | Kept): void; reject(error: unknown): void } | undefined
  #stopListening: (() => void) | undefined
  #link: Link<Acquisition> | undefined
  #waitTimer: NodeJS.Timeout | undefined
  #restTimer: NodeJS.Timeout | undefined
  #lastAnswer:
    { readonly sentAt: Moment; readonly serverUs: number; holder: string; position: number } | undefined
  #notice: GrantNotice | undefined
  #noticedAt = 0
  #failures = 0
  /** Why the last command failed, unless one was answered since. */
  #lastFault: UnavailableError | undefined
  #hasSeat = false
  #hasAsked = false
  #inDoubt = false
  /** Since when Redis has, or had when last heard of, a hold of this owner that was not handed out. */
  #grantedAt: number | undefined
  #askAgain = false
  #wasRevoked = false
  #saidWaiting = false
  #isListening = false
  #watched: Watched | undefined

  /** @param wantedSince - when the caller asked, who may have had to wait for its turn here */
  constructor(client: Client, keys: LockKeys, request: Request, wantsToken: boolean, wantedSince?: number) {
    this.#client = client
    this.#wantedSince = wantedSince ?? this.#startedAt
    this.keys = keys
    this.n = client.nextOwner()
    this.owner = ownerOf(client.id, this.n)
    this.#request = request
    this.#wantsToken = wantsToken
  }

  /** Its place among those of this client who wait for the lock. Few ever wait. */
  get link(): Link<Acquisition> {
    return (this.#link ??= new Link<Acquisition>(this))
  }

  /** Whether it waits in a queue, as far as it knows, and nothing of it is in flight. */
  get isQueued(): boolean {
    return this.#state === 'waiting' && this.#hadPlace
  }

  get #hadPlace(): boolean {
    return (this.#lastAnswer?.position ?? 0) > 0
  }

  /** How long a place that is asked for or refreshed now needs to stay alive. */
  get placeMs(): number {
    return Math.max(1, Math.ceil(Math.min(this.#client.settings.watchdogTimeoutMs, this.#waitLeftMs())))
  }

  run(): Promise<Entered | Kept> {
    const { signal, waitMs } = this.#request
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#client.room.enter(this)
      if (signal?.aborted) {
        this.#fail(signal.reason)
        return
      }
      if (signal)
        this.#stopListening = onAbort(signal, () => {
          this.#fail(signal.reason)
        })
      if (waitMs > 0 && waitMs !== Infinity) this.#endAfter(waitMs)
      this.#start()
    })
  }

  /** Something changed: ask again. */
  wake(): void {
    if (this.#state === 'waiting') this.#ask()
    else if (this.#state === 'resting') this.#start()
    else if (this.#hasAskInFlight) this.#askAgain = true
  }

  /** A notice says that a release handed the lock to this owner. */
  granted(notice: GrantNotice): void {
    this.#notice = notice
    this.#noticedAt = monotonicMs()
    if (this.#state === 'waiting' || this.#state === 'resting') this.#accept()
  }

  /** This owner was evicted: what was heard of a grant no longer holds, and an answer on its way may not either. */
  revoked(): void {
    this.#notice = undefined
    this.#wasRevoked = true
    this.wake()
  }

  /** The client closes. */
  close(): void {
    this.#fail(
      new ClosedError(`the client was closed while waiting for lock ${this.keys.name}`, this.#details()),
    )
  }

  #start(): void {
    this.#state = 'starting'
    clearTimeout(this.#restTimer)
    const ready = this.#client.ready(this.keys)
    if (!ready) {
      this.#ask()
      return
    }
    // The checks are several commands: together they get no longer than one.
    if (this.#request.waitMs === 0) this.#endAfter(this.#client.settings.commandTimeoutMs)
    ready.then(
      () => {
        this.#ask()
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #ask(): void {
    if (this.#state === 'over') return
    this.#state = 'asking'
    clearTimeout(this.#restTimer)
    this.#askAgain = false
    this.#wasRevoked = false
    this.#hasAsked = true
    const { breaks } = this.#client.link
    const sentAt = momentNow()
    const leaseMs = this.#leaseMs()
    const ask = this.#askFor(leaseMs)
    const { commandTimeoutMs } = this.#client.settings
    const timeoutMs =
      this.#request.waitMs === 0 ? commandTimeoutMs : Math.min(commandTimeoutMs, this.#waitLeftMs())
    this.#client.commands.acquire(this.keys, ask, Math.max(1, timeoutMs)).then(
      (answer) => {
        // A cluster client repeats what a break cut off; the other copy may still come.
        if (breaks !== this.#client.link.breaks) this.#inDoubt = true
        this.#onAnswer(answer, sentAt, leaseMs)
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #askFor(leaseMs: number): Ask {
    return {
      owner: this.owner,
      count: 1,
      leaseMs,
      placeMs: this.#mayQueue() ? this.placeMs : 0,
      grantLeaseMs: Math.min(leaseMs, this.#client.settings.watchdogTimeoutMs),
      inbox: this.#client.inbox.channel,
      wantsToken: this.#wantsToken,
    }
  }

  #onAnswer(answer: AskAnswer, sentAt: Moment, leaseMs: number): void {
    if (this.#state === 'over') return
    this.#state = 'waiting'
    this.#failures = 0
    this.#lastFault = undefined
    switch (answer.kind) {
      case 'held':
        if (this.#wasRevoked) this.#ask()
        else this.#enterIfAhead(answer.token, sentAt, leaseMs)
        return
      case 'busy':
        this.#onBusy(answer, sentAt)
        return
      case 'foreign':
        this.#fail(notALock(this.keys, answer.type))
        return
      case 'gone':
      case 'lost':
        // Only what this acquisition sends after its own end can bring this about.
        this.#fail(new UnavailableError(`lock ${this.keys.name}: the owner was given up`, this.#details()))
    }
  }

  #onBusy({ ttlMs, serverUs, holder, position }: BusyAnswer, sentAt: Moment): void {
    this.#grantedAt = undefined
    // A position only ever falls while the entry lives.
    const isNewEntry = position > (this.#lastAnswer?.position ?? 0)
    // Not with `...`, which makes an object that V8 handles as a dictionary.
    this.#lastAnswer = { sentAt, serverUs, holder, position }
    this.#wait(ttlMs, isNewEntry)
  }

  #wait(ttlMs: number, isNewEntry: boolean): void {
    if (this.#request.waitMs === 0) {
      this.#end(this.#kept())
      return
    }
    if (this.#notice) {
      this.#accept()
      return
    }
    if (!this.#hadPlace && !this.#takeSeat()) {
      const { maxWaiters } = this.#client.settings
      const text = `this client already has ${maxWaiters} waiters (maxWaiters), lock ${this.keys.name} is held`
      this.#fail(new TooManyWaitersError(text, this.#details()))
      return
    }
    if (!this.#hadPlace) this.#listen()
    const { room, redisson } = this.#client
    if (isNewEntry) room.queue(this)
    else room.wait(this)
    const isFreeSoon = this.#lastAnswer?.holder === '' && ttlMs <= soonMs
    // By a timer of its own: what other waiters hear, such as how long this one's turn lasts, must not put it off.
    if (isFreeSoon) this.#wakeIn(ttlMs + timerMarginMs)
    else room.noteTtl(this.keys, ttlMs)
    this.#sayWaiting()
    if (this.#isOver) return
    if (this.#watched && redisson?.claimRelease(this.#watched)) this.#askAgain = true
    // Its own timer has it ask after whatever it was woken for meanwhile, too.
    if (this.#askAgain && !isFreeSoon) this.#ask()
  }

  /** Without a place only because no word would come: ask for one as soon as it would. */
  #listen(): void {
    if (this.#client.hears(this.keys.lock)) {
      this.#askAgain = true
      return
    }
    if (this.#isListening) return
    this.#isListening = true
    this.#client.listen(this.#watch()).then(
      () => {
        this.wake()
      },
      (error: unknown) => {
        this.#fail(faultOf(error, this.#details()))
      },
    )
  }

  #accept(): void {
    const notice = this.#notice
    const receivedAt = this.#noticedAt
    const asked = this.#lastAnswer
    this.#notice = undefined
    if (!notice) return
    this.#client.commands.sawToken(notice.token)
    this.#sayGranted(notice.token)
    if (this.#isOver) return
    const placed =
      asked &&
      placeGrant({
        askSentAt: asked.sentAt.monotonicMs,
        askServerUs: asked.serverUs,
        grantServerUs: notice.serverUs,
        receivedAt,
        leaseMs: notice.leaseMs,
      })
    // A grant lasts one watchdog time at most; a longer fixed lease is set by asking once more, as for replicas.
    const isEnough = notice.leaseMs >= this.#leaseMs() || this.#client.replication !== undefined
    if (placed && isEnough && isAhead(placed.deadlineAt, asked.sentAt, notice.leaseMs)) {
      this.#enter(notice.token, asked.sentAt, notice.leaseMs, placed)
    } else {
      this.#ask()
    }
  }

  #enterIfAhead(token: number, askedAt: Moment, leaseMs: number): void {
    const placed = placeAnswer(askedAt, leaseMs)
    if (isAhead(placed.deadlineAt, askedAt, leaseMs)) {
      this.#enter(token, askedAt, leaseMs, placed)
      return
    }
    this.#inDoubt = true
    const text = 'the answer was seen only after the lease may have ended'
    this.#onFailure(new UnavailableError(text, this.#details()))
  }

  #enter(token: number, askedAt: Moment, leaseMs: number, { grantedAt, deadlineAt }: PlacedGrant): void {
    const { replication } = this.#client
    // A grant that had to be confirmed once more is no younger for that.
    if (replication) this.#confirm(replication, (this.#grantedAt ??= grantedAt))
    else this.#handOut(token, askedAt, leaseMs, { grantedAt, deadlineAt }, true)
  }

  #confirm(replication: Replication, grantedAt: number): void {
    this.#state = 'confirming'
    clearTimeout(this.#restTimer)
    this.#askAgain = false
    // Its bound was that of a single attempt's checks and ask.
    if (this.#request.waitMs === 0) clearTimeout(this.#waitTimer)
    const { breaks } = replication
    const { breaks: breaksOfCommands } = this.#client.link
    const nextAsk = (): Ask | null => {
      if (this.#isOver) return null
      // What is sent after an eviction is answered after it, too.
      this.#wasRevoked = false
      return this.#askFor(this.#leaseMs())
    }
    replication.confirm(this.keys, nextAsk).then(
      (confirmation) => {
        if (breaks !== replication.breaks) this.#inDoubt = true
        const isProven = breaksOfCommands === this.#client.link.breaks
        this.#onConfirmation(replication, confirmation, grantedAt, isProven)
      },
      (error: unknown) => {
        this.#onFailure(error)
      },
    )
  }

  #onConfirmation(
    replication: Replication,
    confirmation: Confirmation,
    grantedAt: number,
    isProven: boolean,
  ): void {
    const { answer, sentAt, leaseMs, acknowledged } = confirmation
    if (answer.kind !== 'held' || this.#wasRevoked) {
      this.#onAnswer(answer, sentAt, leaseMs)
      return
    }
    if (this.#state === 'over') return
    this.#state = 'waiting'
    const { deadlineAt } = placeAnswer(sentAt, leaseMs)
    const isInTime = acknowledged >= this.#client.settings.minReplicas && isAhead(deadlineAt, sentAt, leaseMs)
    if (isInTime) this.#handOut(answer.token, sentAt, leaseMs, { grantedAt, deadlineAt }, isProven)
    else this.#fail(replication.fault(this.keys, this.owner, confirmation))
  }

  #handOut(
    token: number,
    askedAt: Moment,
    leaseMs: number,
    { grantedAt, deadlineAt }: PlacedGrant,
    isProven: boolean,
  ): void {
    const grant = {
      keys: this.keys,
      n: this.n,
      owner: this.owner,
      fencingToken: token,
      askedAt,
      grantedAt,
      deadlineAt,
      leaseMs,
      inDoubt: this.#inDoubt,
      isProven,
    }
    const settle = this.#settle
    this.#finish(true)
    const hold = new Hold(this.#client, grant, this.#request)
    settle?.resolve({ hold, lease: hold.open(this.#request, monotonicMs() - this.#wantedSince) })
  }

  /** The lease to ask for. The brake of a hold that Redis has already is not moved by asking again. */
  #leaseMs(): number {
    const { leaseMs, maxHoldMs } = this.#request
    const wantedMs = Math.min(leaseMs ?? this.#client.settings.watchdogTimeoutMs, maxHoldMs)
    if (this.#grantedAt === undefined) return wantedMs
    const brakeInMs = this.#grantedAt + maxHoldMs - monotonicMs()
    return Math.max(1, Math.floor(Math.min(wantedMs, brakeInMs)))
  }

  #waitLeftMs(): number {
    return this.#startedAt + this.#request.waitMs - monotonicMs()
  }

  /** A place whose owner hears nothing would only be passed over. */
  #mayQueue(): boolean {
    if (this.#request.waitMs === 0) return false
    if (this.#hadPlace) return true
    if (!this.#client.hears(this.keys.lock) || !this.#takeSeat()) return false
    this.#watch()
    return true
  }

  /** Has releases by Redisson be heard until this is over. */
  #watch(): Watched | undefined {
    return (this.#watched ??= this.#client.redisson?.watch(this.keys.lock))
  }

  #takeSeat(): boolean {
    this.#hasSeat ||= this.#client.room.takeSeat()
    return this.#hasSeat
  }

  #sayWaiting(): void {
    const { events, id } = this.#client
    if (this.#saidWaiting || !this.#lastAnswer) return
    this.#saidWaiting = true
    if (!events.isHeard('waiting')) return
    const { holder, position } = this.#lastAnswer
    const behindOwnClient = clientOf(holder) === id
    events.emit('waiting', { name: this.keys.name, owner: this.owner, holder, position, behindOwnClient })
  }

  #sayGranted(fencingToken: number): void {
    const { events } = this.#client
    if (!events.isHeard('granted')) return
    events.emit('granted', { name: this.keys.name, owner: this.owner, fencingToken })
  }

  #kept(): Kept {
    return {
      holder: this.#lastAnswer?.holder,
      position: this.#lastAnswer?.position ?? 0,
      waitedMs: Math.round(monotonicMs() - this.#startedAt),
    }
  }

  #details(): HoldfastErrorDetails {
    return { lockName: this.keys.name, owner: this.owner }
  }

  #onFailure(error: unknown): void {
    if (this.#state === 'over') return
    if (this.#hasAskInFlight) this.#inDoubt = true
    this.#state = 'resting'
    const fault = faultOf(error, this.#details())
    if (!(fault instanceof UnavailableError) || this.#request.waitMs === 0) {
      this.#fail(fault)
      return
    }
    this.#lastFault = fault
    this.#client.events.emit('error', fault)
    if (this.#isOver) return
    if (this.#notice) {
      this.#accept()
      return
    }
    this.#wakeIn(restMs(++this.#failures))
  }

  /** Ends a rest, or the wait for a turn that is ahead. */
  #wakeIn(ms: number): void {
    clearTimeout(this.#restTimer)
    this.#restTimer = setTimeout(() => {
      this.wake()
    }, ms)
  }

  #onWaitEnd(): void {
    const { replication } = this.#client
    if (replication && this.#state === 'confirming') {
      this.#fail(replication.fault(this.keys, this.owner, 'wait ended'))
      return
    }
    if (this.#lastAnswer && this.#grantedAt === undefined) {
      this.#end(this.#kept())
      return
    }
    const waitedMs = Math.round(monotonicMs() - this.#startedAt)
    const cause = this.#lastFault
    const what = cause ? 'could not be asked' : 'did not answer'
    const why = cause ? `; at last: ${cause.message}` : ''
    const text = `Redis ${what} within ${waitedMs} ms for lock ${this.keys.name}${why}`
    this.#fail(new UnavailableError(text, { ...this.#details(), cause }))
  }

  #endAfter(ms: number): void {
    clearTimeout(this.#waitTimer)
    this.#waitTimer = setTimeout(() => {
      this.#onWaitEnd()
    }, ms)
  }

  get #hasAskInFlight(): boolean {
    return this.#state === 'asking' || this.#state === 'confirming'
  }

  /** Listeners may end an acquisition from within. */
  get #isOver(): boolean {
    return this.#state === 'over'
  }

  #fail(error: unknown): void {
    const settle = this.#settle
    if (this.#finish(false)) settle?.reject(error)
  }

  #end(result: Kept): void {
    const settle = this.#settle
    if (this.#finish(false)) settle?.resolve(result)
  }

  /** Answers whether this call was the one that ended it. The caller's answer waits for nothing that is sent here. */
  #finish(isHeld: boolean): boolean {
    if (this.#state === 'over') return false
    const inFlight = this.#hasAskInFlight && !isHeld
    this.#state = 'over'
    clearTimeout(this.#waitTimer)
    clearTimeout(this.#restTimer)
    this.#stopListening?.()
    if (this.#hasSeat) this.#client.room.giveSeatBack()
    this.#client.room.leave(this)
    if (this.#watched) this.#client.redisson?.unwatch(this.#watched)
    const mayHaveLeftTraces = this.#hadPlace || this.#grantedAt !== undefined || this.#inDoubt || inFlight
    if (!isHeld && this.#hasAsked && mayHaveLeftTraces) {
      this.#client.giveUp(this.keys, this.owner, this.#inDoubt || inFlight, this.#leaseMs())
    }
    return true
  }
}
