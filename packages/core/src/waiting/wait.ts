import type { Channels, TracedAcquisition } from '../channels/channels.js'
import { ownerOf, titleOf, type Address, type Target } from '../engine/requests.js'
import { HoldfastError, InvalidArgumentError, toHoldfastError, UnavailableError } from '../errors/errors.js'
import type { Request, Settings } from '../options/options.js'
import type { Surroundings } from '../ownership/closing.js'
import type { StoreClient } from '../store-client.js'
import { onAbort, retryAfterMs } from '../util/timeouts.js'
import { ListNode, type InContext } from '../util/lists.js'
import { monotonicMs } from '../time/time.js'
import { closedWhileWaiting, detailsOf, notReached, tooManyWaiters } from './outcome.js'
import { readAheadMs, type Obstacle, type Waiter } from './waiter-table.js'

/** Which states may follow each. `over` may follow all, and nothing follows it. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>

interface Settlement<R> {
  resolve(result: R): void
  reject(error: unknown): void
}

/** The client of a wait, as far as any wait needs it. */
export interface WaitingClient {
  readonly clientId: string
  readonly settings: { readonly engine: string }
  readonly channels: Channels | undefined
  readonly frames: Surroundings
}

/**
 * What every wait is: it settles once, is in one state at a time, and ends by `waitMs`, by the signal of its call or because
 * the client closes.
 */
export abstract class Wait<R, State extends string> {
  readonly n: number
  readonly owner: string
  readonly target: Target
  protected readonly options: Request
  protected readonly startedAt = monotonicMs()
  readonly waitsSince: number
  readonly isInside: boolean
  /** Those who listen to holds make spans in the context of the call. */
  readonly #inContext: InContext | undefined
  readonly #client: WaitingClient
  #state: State | 'over'
  #settle: Settlement<R> | undefined
  #stopListening: (() => void) | undefined
  #limit: NodeJS.Timeout | undefined
  /** Ends with the state that it belongs to. */
  #timer: NodeJS.Timeout | undefined

  /**
   * @param n - the number of its owner
   * @param wantedSince - when the caller wanted it, if it had to wait for its turn in this process first
   */
  constructor(
    client: WaitingClient,
    n: number,
    target: Target,
    request: Request,
    wantedSince: number | undefined,
    first: State,
  ) {
    this.#client = client
    this.isInside = client.frames.isInside
    this.#inContext = client.channels?.contextOfCall()
    this.waitsSince = wantedSince ?? this.startedAt
    this.n = n
    this.owner = ownerOf(client.clientId, n)
    this.target = target
    this.options = request
    this.#state = first
  }

  /** Whether another owner was in the way so far, or a latch closed. */
  abstract get isContended(): boolean

  protected abstract get transitions(): Transitions<State>

  /** Adds itself to those under way. */
  protected abstract join(): void

  protected abstract begin(): void

  /** `waitMs` is over. */
  protected abstract onLimit(): void

  /** The wait will soon be over: reads who is in the way, if that is not known well enough. */
  protected abstract readObstacle(): void

  /** Undoes what a wait has in this process, and gives up what it may have in the store. The caller's result waits for nothing of it. */
  protected abstract leave(from: State, hasSucceeded: boolean): void

  /** `run()` for a call of the application, published to those who listen. */
  runTraced(): Promise<R> {
    const { channels } = this.#client
    if (!channels?.wantsAcquisitions) return this.run()
    return channels.acquire(
      {
        subject: this.#subject,
        request: this.options,
        wantedSince: this.waitsSince,
        isContended: () => this.isContended,
      },
      () => this.run(),
    )
  }

  run(): Promise<R> {
    const { signal, waitMs } = this.options
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.join()
      if (signal?.aborted) {
        this.fail(signal.reason)
        return
      }
      if (signal) this.#stopListening = onAbort(signal, () => this.fail(signal.reason))
      if (waitMs > 0 && waitMs !== Infinity) this.#limitTo(waitMs)
      this.begin()
    })
  }

  close(): void {
    this.fail(closedWhileWaiting(this))
  }

  /** The hold around the caller that it must not re-enter, if there is one. */
  get inside(): Request['inside'] {
    return this.options.inside
  }

  protected get state(): State | 'over' {
    return this.#state
  }

  /** Listeners may end a wait from within. */
  protected get isOver(): boolean {
    return this.#state === 'over'
  }

  protected get waitLeftMs(): number {
    return this.startedAt + this.options.waitMs - monotonicMs()
  }

  /** Since it began, in whole milliseconds. */
  protected get waitedMs(): number {
    return Math.round(monotonicMs() - this.startedAt)
  }

  protected enter(next: State): void {
    const from = this.#state
    clearTimeout(this.#timer)
    if (from !== 'over' && this.transitions[from].includes(next)) {
      this.#state = next
      return
    }
    this.fail(
      new HoldfastError(`${titleOf(this.target)}: a wait went from ${from} to ${next}`, detailsOf(this)),
    )
  }

  /** Takes a step after some time, unless another state is entered before. */
  protected after(ms: number, step: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(step, ms)
  }

  protected limitTo(ms: number): void {
    clearTimeout(this.#limit)
    this.#limit = setTimeout(() => this.onLimit(), ms)
  }

  protected endLimit(): void {
    clearTimeout(this.#limit)
  }

  protected fail(error: unknown): void {
    this.#finish(false)?.reject(error)
  }

  /** Ends in vain. */
  protected end(result: R): void {
    this.#finish(false)?.resolve(result)
  }

  protected succeed(makeResult: () => R): void {
    const inContext = this.#inContext
    this.#finish(true)?.resolve(inContext ? inContext(makeResult) : makeResult())
  }

  get #subject(): TracedAcquisition['subject'] {
    const { target, owner } = this
    const { clientId, settings } = this.#client
    return { clientId, engine: settings.engine, name: target.address.name, kind: target.kind, owner }
  }

  /** Shortly before the end of a longer wait it is read who is in the way. */
  #limitTo(waitMs: number): void {
    const inMs = waitMs - readAheadMs
    if (inMs < readAheadMs) {
      this.limitTo(waitMs)
      return
    }
    this.#limit = setTimeout(() => {
      this.limitTo(Math.max(0, Math.ceil(this.waitLeftMs)))
      this.readObstacle()
    }, inMs)
  }

  /** What settles its call, unless another one has ended it. */
  #finish(hasSucceeded: boolean): Settlement<R> | undefined {
    const from = this.#state
    if (from === 'over') return undefined
    this.#state = 'over'
    clearTimeout(this.#limit)
    clearTimeout(this.#timer)
    this.#stopListening?.()
    this.leave(from, hasSucceeded)
    return this.#settle
  }
}

export type State = 'starting' | 'requesting' | 'replied' | 'waiting' | 'pausing' | 'confirming'

const transitions: Transitions<State> = {
  starting: ['requesting', 'pausing'],
  requesting: ['replied', 'pausing'],
  replied: ['waiting', 'requesting', 'pausing', 'confirming'],
  waiting: ['requesting', 'confirming'],
  pausing: ['starting', 'requesting', 'confirming'],
  confirming: ['replied', 'pausing'],
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
export abstract class StoreWait<R> extends Wait<R, State> implements Waiter {
  protected readonly store: StoreClient
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
  constructor(store: StoreClient, n: number, target: Target, request: Request, wantedSince?: number) {
    super(store, n, target, request, wantedSince, 'starting')
    this.store = store
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

  /** How long an entry that is requested or refreshed now needs to stay alive. */
  get entryTtlMs(): number {
    return Math.max(1, Math.ceil(Math.min(this.store.settings.watchdogTimeoutMs, this.waitLeftMs)))
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

  protected join(): void {
    this.store.waiters.add(this)
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
    this.send(this.store.settings.commandTimeoutMs)
  }

  /** Deals with the reply to the request that was just sent. @param onLateReply - to a wait that is over */
  protected take<T>(
    reply: Promise<T>,
    onReply: (reply: T) => void,
    onLateReply: (reply: T) => void = () => undefined,
  ): void {
    const { facts, silence } = this.store
    const epoch = facts.connectionEpoch
    const sentAt = silence.sent()
    this.#sentAt = sentAt
    this.settled = reply.then(
      (received) => {
        silence.replied(sentAt)
        // A driver that repeats what a break interrupted may have sent it twice; the other copy may still arrive.
        if (epoch !== facts.connectionEpoch) this.inDoubt = true
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
    this.store.reports.error(error)
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
    const { waiters, settings, polls, queuesUnnotified } = this.store
    if (!this.hasEntry && !this.#takeSlot()) {
      this.fail(tooManyWaiters(this, settings.maxWaiters))
      return
    }
    if (!this.hasEntry && !polls) this.#subscribe()
    waiters.wait(this, isNewEntry)
    // Others look for those in the queue. A store that takes no entries for a while has each ask again for its own.
    const looksAlone = !this.hasEntry && queuesUnnotified
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
    const { inbox, queuesUnnotified } = this.store
    const mayQueue = queuesUnnotified || inbox.isSubscribed(this.address)
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
    const { silence } = this.store
    const error = this.#lastError ?? silence.errorSince(this.startedAt)
    return error !== undefined || silence.isOutage(this.#sentAt)
  }

  protected failUnreached(): void {
    const cause = this.#lastError ?? this.store.silence.errorSince(this.startedAt)
    this.fail(notReached(this, this.store, this.waitedMs, cause))
  }

  protected leave(from: State, hasSucceeded: boolean): void {
    const { inbox, waiters } = this.store
    const inFlight = !hasSucceeded && (from === 'requesting' || from === 'confirming')
    if (this.#hasSlot) waiters.freeSlot()
    waiters.delete(this)
    this.passOn(hasSucceeded, this.requestAgain || inFlight)
    if (this.#isWatching) inbox.unwatch?.(this.address)
    if (!hasSucceeded) this.abandon(from)
  }

  /** Others here may have a chance of which no notification tells them. @param wasWoken - and did not look */
  protected passOn(hasSucceeded: boolean, wasWoken: boolean): void {
    if (!hasSucceeded) this.store.waiters.passOn(this, wasWoken)
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
    const ready = this.store.readiness.ready(this.address)
    const mayRequest = ready === undefined && (this.hasRequested || this.mayRequest())
    if (mayRequest) {
      this.request()
      return
    }
    this.#sentAt = ready ? this.store.silence.sent() : monotonicMs()
    // The checks are several commands: together they get no longer than one.
    if (this.options.waitMs === 0) this.limitTo(this.store.settings.commandTimeoutMs)
    ready?.then(
      () => this.#prepare(),
      (error: unknown) => this.onFailure(error),
    )
  }

  /** It is not queued only because no notification would arrive: requests an entry as soon as they do. */
  #subscribe(): void {
    const { inbox } = this.store
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
    const { inbox, waiters } = this.store
    if (this.#isWatching || !inbox.watch) return
    this.#isWatching = true
    inbox.watch(this.address)
    // In the list from now on: a notification may arrive before the reply to the request that goes out next.
    waiters.wait(this, false)
  }

  #takeSlot(): boolean {
    this.#hasSlot ||= this.store.waiters.takeSlot()
    return this.#hasSlot
  }

  #reportWaiting(): void {
    const { obstacle } = this
    if (this.#reportedWaiting || !obstacle) return
    this.#reportedWaiting = true
    this.reportWaiting(obstacle)
  }

  protected reportWaiting({ holder, position }: Obstacle): void {
    const { reports, clientId } = this.store
    reports.waiting(this, holder, position, clientId, this.options.inside)
  }

  #wakeAfter(ms: number): void {
    this.after(ms, () => this.wake())
  }
}

/**
 * The lease to request. The limit of a hold that the store has already is not moved by requesting it again.
 *
 * @param grantedAt - since when the store has such a hold that was not handed out
 */
export function leaseToRequest(
  { leaseMs, maxHoldMs }: Request,
  { watchdogTimeoutMs }: Settings,
  grantedAt: number | undefined,
): number {
  const wantedMs = Math.min(leaseMs ?? watchdogTimeoutMs, maxHoldMs)
  if (grantedAt === undefined) return wantedMs
  return Math.max(1, Math.floor(Math.min(wantedMs, grantedAt + maxHoldMs - monotonicMs())))
}
