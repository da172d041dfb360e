import { hostname } from 'node:os'
import { Watchdog, type RenewalOutcome } from '@holdfast/watchdog'
import { nanoid } from 'nanoid'
import type { Channels, ConnectionChannel, ClientContext } from './channels/channels.js'
import type {
  EngineHost,
  GrantNotice,
  EngineSession,
  Inbox,
  LockEngine,
  Registry,
  StoreFacts,
} from './engine/session.js'
import type { LockSteps } from './engine/lock-steps.js'
import {
  clientOf,
  type ClientInfo,
  type Address,
  type Addressing,
  type ObjectType,
  type Target,
} from './engine/requests.js'
import { InvalidArgumentError, toHoldfastError } from './errors/errors.js'
import { Readiness, StoreSilence, isPlausible, Looks, Proofs, type Ready } from './waiting/readiness.js'
import { Events, type WarningCode } from './events/events.js'
import { EventObserver, warnOfSelfDeadlock, type Observer } from './events/observer.js'
import { Abandonment } from './holding/release.js'
import type { Acquired, Hold } from './holding/hold.js'
import { HoldTable, Owners } from './ownership/owners.js'
import { Evictions } from './holding/loss.js'
import type { Home } from './objects/entrance.js'
import { checkName } from './options/checks.js'
import type { Operations } from './operating/operations.js'
import type { Request, Settings } from './options/options.js'
import { Closing } from './ownership/closing.js'
import { Frames } from './ownership/frames.js'
import { Background, outsideAllCalls } from './util/lists.js'
import { momentNow, monotonicMs } from './time/time.js'
import type { Moment } from './time/time.js'
import { withTimeout } from './util/timeouts.js'
import { Acquisition } from './waiting/acquisition.js'
import { Housekeeping, WaiterTable, type Waiter } from './waiting/waiter-table.js'
import type { NotAcquired } from './waiting/outcome.js'

/** What a kind of client has besides locks. */
export interface ClientKind {
  /** As messages name it. */
  readonly title: string
  /** Has what it does published to those who listen. */
  readonly openChannels?: (client: ClientContext) => Channels
  readonly openOperations?: (store: StoreClient) => Operations
  /** The steps of further kinds of objects, for its session to carry from the start. */
  readonly carried?: readonly unknown[]
}

/** What a client has once, whether it has one store or, as a quorum, several. */
export class ClientParts {
  readonly id = nanoid()
  readonly info: ClientInfo
  readonly frames = new Frames()
  readonly owners = new Owners(this.id)
  readonly closing = new Closing(this.frames)
  readonly channels: Channels | undefined
  readonly events: Events
  readonly background: Background

  constructor(
    readonly settings: Settings,
    readonly kind: ClientKind,
  ) {
    const { label, engine } = settings
    this.info = { host: hostname(), pid: process.pid, label, startedAt: new Date() }
    this.channels = kind.openChannels?.({ clientId: this.id, engine })
    this.events = new Events((fn) => this.frames.outside(fn), this.channels?.mirrors)
    this.background = new Background((error) => this.events.emitError(error))
  }
}

/** What a store is to its client: its only one, unless it is a master of a quorum. */
export interface StoreRole {
  readonly settings: Settings
  readonly reports: Observer
  readonly channels: Channels | undefined
  /** What messages call a store that does not name itself. */
  readonly unnamed: string
}

/**
 * One client's side of one store: what it holds and awaits there, and what keeps that alive. Holds, waits and objects get the whole of it.
 * A quorum has one per master. It is the host of its session: what an engine calls is its own property, which wrappers of engines may copy.
 * Nothing is reported before the first step.
 */
export class StoreClient implements EngineHost, Home {
  readonly clientId: string
  readonly client: ClientInfo
  readonly watchdogTimeoutMs: number
  readonly renewEveryMs: number
  readonly commandTimeoutMs: number
  readonly now = monotonicMs
  readonly settings: Settings
  readonly frames: Frames
  readonly owners: Owners
  readonly closing: Closing
  readonly events: Events
  readonly background: Background
  /** Of the holds and waits of the application, and who is notified of what these do. */
  readonly channels: Channels | undefined
  readonly reports: Observer
  readonly session: EngineSession
  readonly facts: StoreFacts
  readonly names: Addressing
  readonly steps: LockSteps
  readonly inbox: Inbox
  readonly registry: Registry
  /** As messages name it. */
  readonly storeName: string
  /** Bounds of the pause after which waiters request again without a notification, milliseconds; `undefined`: they do not. */
  readonly pollMs: readonly [shortest: number, longest: number] | undefined
  /** Whether waiters have to request again and again. */
  readonly polls: boolean
  /** Whether they queue at the store all the same. */
  readonly queuesUnnotified: boolean
  /** Whether waiters compete for what is free. On other stores a request by one waiter has all that fit granted. */
  readonly competes: boolean
  readonly holds: HoldTable<Hold>
  readonly waiters: WaiterTable
  readonly watchdog: Watchdog<Hold>
  readonly abandonment: Abandonment
  readonly housekeeping: Housekeeping
  readonly silence: StoreSilence
  readonly evictions = new Evictions()
  readonly proofs = new Proofs()
  readonly looks = new Looks()
  /** The checks before the first command. */
  readonly firstUse: Readiness
  /** The checks before any command: those of the first, unless a quorum has more. */
  readiness: Ready
  /** What operators see and do, if that is wanted. */
  readonly operations: Operations | undefined
  /** What becomes of the connection, for those who listen. */
  readonly connection: ConnectionChannel | undefined
  readonly #ownChannels: Channels | undefined
  #renewalFailure: { readonly error: Error; readonly at: number } | undefined

  constructor(
    parts: ClientParts,
    readonly engine: LockEngine,
    role: StoreRole = {
      settings: parts.settings,
      reports: new EventObserver(parts.events),
      channels: parts.channels,
      unnamed: engine.name,
    },
  ) {
    const { id, info, frames, owners, closing, events, background, kind } = parts
    const { settings, reports, channels } = role
    this.clientId = id
    this.client = info
    this.watchdogTimeoutMs = settings.watchdogTimeoutMs
    this.renewEveryMs = settings.renewEveryMs
    this.commandTimeoutMs = settings.commandTimeoutMs
    this.settings = settings
    this.frames = frames
    this.owners = owners
    this.closing = closing
    this.events = events
    this.background = background
    this.channels = channels
    this.reports = reports
    const { handOff } = engine.traits
    this.pollMs = typeof handOff === 'object' ? handOff.pollMs : undefined
    this.polls = this.pollMs !== undefined
    this.queuesUnnotified = typeof handOff === 'object' && handOff.queued === true
    this.competes = handOff === 'wake'
    this.holds = new HoldTable<Hold>(channels)
    this.waiters = new WaiterTable(this)
    const session = engine.open(this)
    for (const steps of kind.carried ?? []) session.carry?.(steps)
    this.session = session
    this.facts = session.store
    this.names = session.names
    this.steps = session.steps
    this.inbox = session.inbox
    this.registry = session.registry
    this.storeName = session.store.name ?? role.unnamed
    this.silence = new StoreSilence(session.store)
    this.#ownChannels = kind.openChannels?.({ clientId: id, engine: engine.name })
    this.connection = this.#ownChannels?.connectionTo(session.store.name ?? engine.name)
    this.abandonment = new Abandonment(this)
    this.watchdog = new Watchdog<Hold>({
      renew: (due) => this.#renew(due),
      now: monotonicMs,
      onError: (error) => {
        this.#renewalFailure = { error: toHoldfastError(error), at: monotonicMs() }
        events.emitError(error)
      },
    })
    this.housekeeping = new Housekeeping(this)
    this.firstUse = new Readiness(this)
    this.readiness = this.firstUse
    this.operations = kind.openOperations?.(this)
  }

  get asStore(): this {
    return this
  }

  get tokenAdvice(): Home['tokenAdvice'] {
    return this.engine.sharing?.tokenAdvice
  }

  get fence(): Home['fence'] {
    return this.engine.fence?.bind(this.engine)
  }

  /**
   * Where the object of this name is.
   *
   * @throws `InvalidArgumentError` for an invalid name, and with an engine that has no such objects
   */
  locate(name: string, object: ObjectType): Address {
    checkName(name)
    const { name: engine, traits } = this.engine
    if (object !== 'lock' && !traits.kinds?.includes(kindOf[object])) {
      throw new InvalidArgumentError(`the engine ${engine} has no ${textOf[object]}`, { lockName: name })
    }
    return this.names.locate(name, object)
  }

  /** One acquisition for a call of the application. @param wantedSince - as for {@link Acquisition} */
  acquire(
    target: Target,
    request: Request,
    wantsToken: boolean,
    wantedSince?: number,
  ): Promise<Acquired | NotAcquired> {
    return this.begin(target, request, wantsToken, wantedSince).runTraced()
  }

  begin(target: Target, request: Request, wantsToken: boolean, wantedSince?: number): Acquisition {
    return new Acquisition(this, this.owners.nextNumber(), target, request, wantsToken, wantedSince)
  }

  /** What the latest renewal failed with, of any hold, if that was after this moment. */
  renewalFailureSince(moment: Moment): Error | undefined {
    const failure = this.#renewalFailure
    return failure && failure.at >= moment.monotonicMs ? failure.error : undefined
  }

  /** How many acquisitions wait for a held lock now. */
  get waiting(): number {
    return this.waiters.waiting
  }

  /** Ends every call, then every hold, then the session. */
  async closeAll(drainMs: number): Promise<void> {
    const { holds, background, commandTimeoutMs } = this
    await this.closing.drain({ holds, waits: this.waiters }, drainMs)
    this.loseAll()
    await Promise.all([withTimeout(background.settled(), commandTimeoutMs), holds.drained(commandTimeoutMs)])
    await this.close()
    await background.end()
    this.events.close()
  }

  /** Ends what is still held. */
  loseAll(): void {
    for (const hold of this.holds.all) if (!hold.isReleased) hold.lose('closed')
  }

  /** Ends what keeps holds and waiters alive, and the session. */
  async close(): Promise<void> {
    this.connection?.close()
    this.watchdog.close()
    this.housekeeping.end()
    this.looks.close()
    this.operations?.close()
    await this.session.close()
  }

  /** The store has replied to checks. */
  replied(): void {
    this.silence.replied()
    this.onReached()
  }

  /** Called with each round of housekeeping. */
  onRound(): void {
    warnOfSelfDeadlock(this.events, this.waiters.allWaiting, this.holds)
  }

  /**
   * Passes a notification on to the acquisition that it is about. Anyone may have sent it: only a grant that repeats the proof of its
   * queue entry is believed. After any other message the hold or waiter that it names asks the store, at a bounded rate.
   */
  readonly granted = (id: string, owner: string, notice: GrantNotice): void => {
    const { holds, waiters, proofs } = this
    if (clientOf(owner) !== this.clientId || holds.find(owner)) return
    const isProven = notice.proof === proofs.of(owner) && isPlausible(notice)
    const waiter = waiters.find(owner)
    if (!waiter) {
      if (isProven) this.#abandonUnknown(id, owner, notice.leaseMs)
      return
    }
    // Never one that waits for something else: it would take what it was not given.
    if (waiter.address.id !== id) return
    if (!isProven || !waiter.granted?.(notice)) this.#wake(waiter)
  }

  readonly revoked = (owner: string): void => {
    const { holds, waiters, looks } = this
    const subject = holds.find(owner) ?? waiters.find(owner)
    if (!subject) return
    // A waiter may have become a holder by the time it looks.
    looks.request(subject, () => {
      holds.find(owner)?.checkEviction()
      waiters.find(owner)?.revoked()
    })
  }

  /** Which generation opened is left to the store to say. */
  readonly opened = (id: string): void => {
    const [first] = this.waiters.waitingFor(id)
    if (first) this.looks.request(first, () => this.#lookAtLatch(id))
  }

  /** @param owner - the waiter whose turn it may be; the first one without */
  readonly wake = (id: string, owner?: string): void => {
    if (owner === undefined) {
      for (const waiter of this.waiters.nextFor(id)) this.#wake(waiter)
      return
    }
    // One that gave up has left the queue, or is about to.
    const waiter = this.waiters.find(owner)
    if (waiter?.address.id === id) this.#wake(waiter)
  }

  readonly onMessage = (text: string): void => {
    this.operations?.onMessage(text)
  }

  /** @param id - of the object about which something may have been missed, or of a latch that is gone; all without */
  readonly missed = (id?: string): void => {
    const { waiters } = this
    if (id === undefined) {
      waiters.distrust()
      this.connection?.publish('subscribed')
      this.onReached()
      this.housekeeping.checkWaiters()
      return
    }
    const waiting = waiters.waitingFor(id)
    if (waiting[0]?.target.kind === 'latch') {
      this.opened(id)
      return
    }
    waiters.distrust(waiting)
    for (const waiter of waiting) this.#wake(waiter)
  }

  readonly unsubscribed = (cause: Error): void => {
    this.connection?.publish('unsubscribed')
    this.waiters.distrust()
    this.waiters.unsubscribed()
    this.onUnsubscribed(cause)
  }

  /** Another session may begin now, which no hold belongs to that ends with this one. */
  readonly broken = (): void => {
    this.connection?.publish('broken')
    if (this.facts.aliveUntil === undefined) return
    for (const hold of this.holds.all) hold.endIfDue()
  }

  readonly reconnected = (): void => {
    this.connection?.publish('connected')
    this.silence.replied()
    this.onReconnected()
    this.housekeeping.recover()
  }

  readonly warn = (code: WarningCode, message: string): void => {
    this.events.warn(code, message)
  }

  readonly error = (error: unknown): void => {
    this.silence.note(toHoldfastError(error))
    this.onStoreError(error)
  }

  /** The store replies, for the first time or again, or what was missed is made up for. */
  protected onReached(): void {
    this.events.reached()
  }

  /** Commands can be sent again after a break. */
  protected onReconnected(): void {
    this.events.reached()
  }

  /** Messages stopped coming. */
  protected onUnsubscribed(cause: unknown): void {
    this.events.emitError(cause)
  }

  /** The store reported an error of its own accord. */
  protected onStoreError(error: unknown): void {
    this.events.emitError(error)
  }

  #wake(waiter: Waiter): void {
    this.looks.request(waiter, () => waiter.wake())
  }

  /** All that wait for the latch look together; a request in flight may have come before the opening. */
  #lookAtLatch(id: string): void {
    const { waiters, background } = this
    const waiting = waiters.waitingFor(id)
    for (const waiter of waiting) if (!waiter.isQueued) waiter.wake()
    const queued = waiting.filter(({ isQueued }) => isQueued)
    if (!waiters.refreshLatches || queued.length === 0) return
    const looked = waiters.refreshLatches(queued).catch((error: unknown) => {
      for (const waiter of queued) waiter.wake()
      throw error
    })
    background.run(looked)
  }

  /** No one waits under this owner any more: what the store still has of it would only keep others out. */
  #abandonUnknown(id: string, owner: string, leaseMs: number): void {
    const address = this.names.resolve(id)
    // An address does not say what kind of object it is.
    if (address && this.looks.take())
      this.abandonment.abandon({ address, title: address.name, owner, inDoubt: false, leaseMs })
  }

  /** The watchdog's timer carries the context of some call: that call has nothing to do with it. */
  #renew(due: readonly Hold[]): Promise<readonly RenewalOutcome[]> {
    const channels = this.#ownChannels
    const send = (): Promise<readonly RenewalOutcome[]> => this.#sendRenewals(due)
    return outsideAllCalls(() => (channels ? channels.renew(due, send) : send()))
  }

  async #sendRenewals(due: readonly Hold[]): Promise<readonly RenewalOutcome[]> {
    const sentAt = momentNow()
    const renewals = due.map((hold) => hold.nextRenewal(sentAt))
    const { commandTimeoutMs, renewEveryMs } = this
    const replies = await this.steps.renew(renewals, Math.ceil(Math.min(commandTimeoutMs, renewEveryMs)))
    return replies.map((reply) => outcomeOf[reply])
  }
}

const outcomeOf = { renewed: 'renewed', 'not-held': 'lost', 'no-reply': 'unknown' } as const

const kindOf: Record<Exclude<ObjectType, 'lock'>, 'shared' | 'latch'> = {
  'read-write-lock': 'shared',
  semaphore: 'shared',
  latch: 'latch',
}

const textOf: Record<Exclude<ObjectType, 'lock'>, string> = {
  'read-write-lock': 'read/write locks',
  semaphore: 'semaphores',
  latch: 'count-down latches',
}
