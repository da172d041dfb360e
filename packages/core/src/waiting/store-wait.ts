import type { Channels } from '../channels/channels.js'
import type { Address } from '../engine/requests.js'
import type { Inbox } from '../engine/inbox.js'
import type { StoreFacts } from '../engine/store-facts.js'
import { InvalidArgumentError, UnavailableError } from '../errors/errors.js'
import type { HoldfastError } from '../errors/errors.js'
import type { StoreSilence } from '../errors/store-silence.js'
import type { Request } from '../options/options.js'
import type { Target } from '../ownership/target.js'
import { toHoldfastError } from '../errors/store-errors.js'
import { retryAfterMs } from '../util/backoff.js'
import { monotonicMs } from '../util/clock.js'
import { ListNode } from '../util/linked-list.js'
import type { Ready } from './readiness.js'
import { entryTtlToRequest } from './request.js'
import type { Obstacle } from './standing.js'
import { detailsOf } from './wait-reports.js'
import type { WaitReports } from './wait-reports.js'
import { Wait } from './wait.js'
import type { Transitions } from './wait.js'
import type { Waiter, WaiterTable } from './waiter-table.js'
import { notReached, tooManyWaiters } from './wording.js'

export type State = 'starting' | 'requesting' | 'replied' | 'waiting' | 'pausing' | 'confirming'

const transitions: Transitions<State> = {
  starting: ['requesting', 'pausing'],
  requesting: ['replied', 'pausing'],
  replied: ['waiting', 'requesting', 'pausing', 'confirming'],
  waiting: ['requesting', 'confirming'],
  pausing: ['starting', 'requesting', 'confirming'],
  confirming: ['replied', 'pausing'],
}

/** What waits at one store need of their client. */
export interface StoreWaitDeps {
  readonly store: StoreFacts
  readonly inbox: Inbox
  readonly settings: {
    readonly clientId: string
    readonly engine: string
    /** How messages name the store. */
    readonly storeName: string
    readonly watchdogTimeoutMs: number
    readonly commandTimeoutMs: number
    readonly maxWaiters: number
    /** Whether waiters poll instead of being notified. */
    readonly polls: boolean
    /** Whether they queue at the store without being notified. */
    readonly queuesUnnotified: boolean
  }
  readonly reports: WaitReports
  readonly channels: Channels | undefined
  readonly waiters: WaiterTable
  readonly silence: StoreSilence
  readonly readiness: Ready
}

/**
 * A wait at one store: requests, waits until something may have changed, and requests again.
 *
 * | State      | true in it                                              | leaves it on                                         |
 * | ---------- | ------------------------------------------------------- | ---------------------------------------------------- |
 * | starting   | the client's first-use checks run                       | done → requesting; failed → pausing                  |
 * | requesting | exactly one request is in flight                        | reply → replied; failed → pausing                    |
 * | replied    | its reply is dealt with, nothing is in flight           | held, passed → over, or confirming; busy → waiting;  |
 * |            |                                                         | void → requesting; too late → pausing                |
 * | waiting    | the last reply was busy; mostly an entry in the queue   | grant → over, or confirming; woken (TTL, own turn,   |
 * |            |                                                         | notice, gap) → requesting                            |
 * | pausing    | the last command failed, nothing is in flight           | pause over, or woken → starting; grant → over,       |
 * |            |                                                         | confirming or requesting                             |
 * | confirming | granted; its request is repeated for replicas           | reply → replied; failed → pausing                    |
 * | over       | the result was given, timers and listener are gone      | -                                                    |
 *
 * Every state but over also ends by `waitMs`, by the signal, by `close()` and by a refusal.
 */
export abstract class StoreWait<R, D extends StoreWaitDeps> extends Wait<R, State> implements Waiter {
  protected readonly deps: D
  /** A request that got no reply may still run. */
  protected inDoubt = false
  protected hasRequested = false
  protected requestAgain = false
  /** Resolves once the last request was answered, or gets no reply. */
  protected settled: Promise<void> = Promise.resolve()
  #node: ListNode<Waiter> | undefined
  #failures = 0
  /** When the last request, or what comes before the first, began. */
  #sentAt = -Infinity
  /** Why the last command failed, unless one was answered since. */
  #lastError: HoldfastError | undefined
  #hasSlot = false
  #reportedWaiting = false
  #isSubscribing = false
  #isWatching = false

  /** @param n - the number of its owner */
  constructor(deps: D, n: number, target: Target, request: Request, wantedSince?: number) {
    const { clientId } = deps.settings
    const { channels } = deps
    super({ clientId, n, target, request, wantedSince, channels }, 'starting')
    this.deps = deps
  }

  abstract get obstacle(): Obstacle | undefined

  /** Whether it has an entry in the queue, as of the last reply. */
  protected abstract get hasEntry(): boolean

  /** Sends the request, and takes its reply by `take`. */
  protected abstract send(timeoutMs: number): void

  /** The result of a wait in vain. */
  protected abstract get inVain(): R

  abstract revoked(): void

  get address(): Address {
    return this.target.address
  }

  /** Made when first needed: few waits begin to wait. */
  get node(): ListNode<Waiter> {
    return (this.#node ??= new ListNode<Waiter>(this))
  }

  get isQueued(): boolean {
    return this.state === 'waiting' && this.hasEntry
  }

  get entryTtlMs(): number {
    return entryTtlToRequest(this.deps.settings, this.waitLeftMs)
  }

  get isContended(): boolean {
    return this.obstacle !== undefined
  }

  wake(): void {
    if (this.state === 'waiting') this.request()
    else if (this.state === 'pausing') this.#start()
    else if (this.hasRequestInFlight || this.state === 'replied') this.requestAgain = true
  }

  protected get transitions(): Transitions<State> {
    return transitions
  }

  protected get client(): D['settings'] {
    return this.deps.settings
  }

  protected join(): void {
    this.deps.waiters.add(this)
  }

  protected begin(): void {
    this.#prepare()
  }

  protected get hasRequestInFlight(): boolean {
    return this.state === 'requesting' || this.state === 'confirming'
  }

  protected request(): void {
    if (this.isOver) return
    this.enter('requesting')
    this.requestAgain = false
    this.hasRequested = true
    // Its reply matters also if the wait is over by then: it says what there is to give up.
    this.send(this.deps.settings.commandTimeoutMs)
  }

  /** Deals with the reply to the request that was just sent. @param onLateReply - to a wait that is over */
  protected take<T>(
    reply: Promise<T>,
    onReply: (reply: T) => void,
    onLateReply: (reply: T) => void = () => undefined,
  ): void {
    const { store, silence } = this.deps
    const epoch = store.connectionEpoch
    const sentAt = silence.sent()
    this.#sentAt = sentAt
    this.settled = reply.then(
      (received) => {
        silence.replied(sentAt)
        // A driver that repeats what a break interrupted may have sent it twice; the other copy may still arrive.
        if (epoch !== store.connectionEpoch) this.inDoubt = true
        if (this.isOver) {
          onLateReply(received)
          return
        }
        this.answered()
        onReply(received)
      },
      (error: unknown) => this.onFailure(error),
    )
  }

  protected answered(): void {
    this.enter('replied')
    this.#failures = 0
    this.#lastError = undefined
  }

  protected onFailure(thrown: unknown): void {
    // What the engine refused for its arguments was not sent.
    const wasSent = !(thrown instanceof InvalidArgumentError)
    if (wasSent && (this.hasRequestInFlight || this.isOver)) this.inDoubt = true
    if (this.state === 'over') return
    this.enter('pausing')
    const bare = toHoldfastError(thrown)
    const error = toHoldfastError(bare, detailsOf(this))
    if (!(error instanceof UnavailableError) || this.options.waitMs === 0) {
      this.fail(error)
      return
    }
    this.#lastError = bare
    this.deps.reports.error(error)
    if (!this.isOver) this.pause()
  }

  protected pause(): void {
    this.#wakeAfter(retryAfterMs(++this.#failures))
  }

  /** The reply was busy. Another look may be due soon, by a timer of its own: what other waiters learn must not put it off. */
  protected wait(
    ttlMs: number,
    isNewEntry: boolean,
    looksAgainInMs: number | undefined,
    pollsAgainInMs?: number,
  ): void {
    const { waiters, settings } = this.deps
    if (!this.hasEntry && !this.#takeSlot()) {
      this.fail(tooManyWaiters(this.target, settings.maxWaiters, detailsOf(this)))
      return
    }
    if (!this.hasEntry && !settings.polls) this.#subscribe()
    waiters.wait(this, isNewEntry)
    // Others look for those in the queue. A store that takes no entries for a while has each ask again for its own.
    const looksAlone = !this.hasEntry && settings.queuesUnnotified
    const looksInMs = looksAgainInMs ?? (looksAlone ? pollsAgainInMs : undefined)
    if (looksInMs !== undefined) this.#wakeAfter(looksInMs)
    else if (pollsAgainInMs !== undefined) waiters.pollIn(this, pollsAgainInMs)
    else waiters.noteTtl(this.address, ttlMs)
    this.#reportWaiting()
    // Its own timer also covers anything that it was woken for in the meantime.
    if (this.requestAgain && looksAgainInMs === undefined && !this.isOver) this.request()
  }

  /** Takes a place among those that wait, and says whether there was one: a queue entry that no notification can reach would only be skipped. */
  protected takePlace(): boolean {
    if (this.options.waitMs === 0) return false
    if (this.hasEntry) return true
    const { inbox, settings } = this.deps
    const mayQueue = settings.queuesUnnotified || inbox.isSubscribed(this.address)
    if (!mayQueue || !this.#takeSlot()) return false
    this.#watch()
    return true
  }

  protected onLimit(): void {
    if (this.obstacle || !this.isOutage) this.end(this.inVain)
    else this.failUnreached()
  }

  /** Whether no reply so far means that the store is out of reach. */
  protected get isOutage(): boolean {
    const { silence } = this.deps
    const error = this.#lastError ?? silence.errorSince(this.startedAt)
    return error !== undefined || silence.isOutage(this.#sentAt)
  }

  protected failUnreached(): void {
    const { settings, silence } = this.deps
    const cause = this.#lastError ?? silence.errorSince(this.startedAt)
    this.fail(notReached(this.target, settings, this.waitedMs, cause, detailsOf(this)))
  }

  protected leave(from: State, hasSucceeded: boolean): void {
    const { inbox, waiters } = this.deps
    const inFlight = !hasSucceeded && (from === 'requesting' || from === 'confirming')
    if (this.#hasSlot) waiters.freeSlot()
    waiters.delete(this)
    this.passOn(hasSucceeded, this.requestAgain || inFlight)
    if (this.#isWatching) inbox.unwatch?.(this.address)
    if (!hasSucceeded) this.abandon(from)
  }

  /** Others here may have a chance of which no notification tells them. @param wasWoken - and did not look */
  protected passOn(hasSucceeded: boolean, wasWoken: boolean): void {
    if (!hasSucceeded) this.deps.waiters.passOn(this, wasWoken)
  }

  /** Gives up what the store may have of it. */
  protected abstract abandon(from: State): void

  /** Whether the first request may go out. If not, `proceed` is called when it may. */
  protected mayRequest(): boolean {
    return true
  }

  proceed(): void {
    if (this.state === 'starting') this.request()
  }

  #start(): void {
    this.enter('starting')
    this.#prepare()
  }

  #prepare(): void {
    if (this.isOver) return
    const ready = this.deps.readiness.ready(this.address)
    const mayRequest = ready === undefined && (this.hasRequested || this.mayRequest())
    if (mayRequest) {
      this.request()
      return
    }
    this.#sentAt = ready ? this.deps.silence.sent() : monotonicMs()
    // The checks are several commands: together they get no longer than one.
    if (this.options.waitMs === 0) this.limitTo(this.deps.settings.commandTimeoutMs)
    ready?.then(
      () => this.#prepare(),
      (error: unknown) => this.onFailure(error),
    )
  }

  /** It is not queued only because no notification would arrive: requests an entry as soon as they do. */
  #subscribe(): void {
    const { inbox } = this.deps
    if (inbox.isSubscribed(this.address)) {
      this.requestAgain = true
      return
    }
    if (this.#isSubscribing) return
    this.#isSubscribing = true
    this.#watch()
    inbox.subscribe(this.address).then(
      () => this.wake(),
      (error: unknown) => this.fail(toHoldfastError(error, detailsOf(this))),
    )
  }

  #watch(): void {
    const { inbox, waiters } = this.deps
    if (this.#isWatching || !inbox.watch) return
    this.#isWatching = true
    inbox.watch(this.address)
    // In the list from now on: a notification may arrive before the reply to the request that goes out next.
    waiters.wait(this, false)
  }

  #takeSlot(): boolean {
    this.#hasSlot ||= this.deps.waiters.takeSlot()
    return this.#hasSlot
  }

  #reportWaiting(): void {
    const { reports, settings } = this.deps
    const { obstacle } = this
    if (this.#reportedWaiting || !obstacle) return
    this.#reportedWaiting = true
    reports.waiting(this, obstacle, settings.clientId, this.options.inside)
  }

  #wakeAfter(ms: number): void {
    this.after(ms, () => this.wake())
  }
}
