import type { JointReply } from '../engine/replies.js'
import { ownerOf, titleOf, type Address, type Target } from '../engine/requests.js'
import { notALock, toHoldfastError } from '../errors/errors.js'
import type { AbandonedOwner } from '../holding/abandonment.js'
import { Hold, type Acquired } from '../holding/hold.js'
import type { Request } from '../options/options.js'
import type { StoreClient } from '../store-client.js'
import { dateReply, isAhead, momentNow, monotonicMs, type Moment } from '../time/time.js'
import type { InContext } from '../util/background.js'
import { ListNode } from '../util/lists.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import {
  alreadyAbandoned,
  closedWhileWaiting,
  detailsOf,
  notReached,
  repliedTooLate,
  type NotAcquired,
} from '../waiting/outcome.js'
import type { Waiter } from '../waiting/waiter-table.js'
import type { Member } from './member.js'

export interface JointOptions {
  readonly mode: 'all' | 'first'
  readonly leaseMs: number
  readonly limitMs: number
  readonly startedAt: number
  readonly signal: AbortSignal
  /** With which options those that were entered begin. */
  requestFor(isAll: boolean): Request
  interrupt(reason: unknown): void
}

/** Which members were entered, the first ones, and why the next one was not. */
export interface JointOutcome {
  readonly acquired: readonly Acquired[]
  readonly busy: NotAcquired | undefined
}

/** One of the owners under which members are requested. It is known to its client, but waits in no queue. */
class JointOwner implements Waiter {
  readonly n: number
  readonly owner: string
  readonly node: ListNode<Waiter> = new ListNode<Waiter>(this)
  readonly isQueued = false
  readonly entryTtlMs = 0
  readonly obstacle = undefined
  readonly waitsSince = monotonicMs()
  readonly isInside: boolean
  /** It was evicted before its reply was processed. */
  wasRevoked = false

  constructor(
    readonly member: Member,
    private readonly interrupt: (reason: unknown) => void,
  ) {
    const { owners, clientId, frames } = member.client
    this.isInside = frames.isInside
    this.n = owners.nextNumber()
    this.owner = ownerOf(clientId, this.n)
  }

  get target(): Target {
    return this.member.target
  }

  get address(): Address {
    return this.target.address
  }

  /** Nothing that others do changes what is requested. */
  wake(): void {
    return
  }

  revoked(): void {
    this.wasRevoked = true
  }

  close(): void {
    this.interrupt(closedWhileWaiting(this))
  }
}

/**
 * Requests several members of one client by one command, each for an owner of its own.
 *
 * | State      | true in it                              | leaves it on                                              |
 * | ---------- | --------------------------------------- | --------------------------------------------------------- |
 * | starting   | the client's first-use checks run       | done → requesting; failed or interrupted → over           |
 * | requesting | the request is in flight                | reply → over; none in time, or interrupted → all owners   |
 * |            |                                         | are abandoned with tombstones, over                       |
 * | over       | no owner here is known to the client    | -                                                         |
 */
export class JointAcquisition {
  readonly #store: StoreClient
  readonly #first: JointOwner
  readonly #owners: readonly JointOwner[]
  readonly #options: JointOptions
  /** The checks and the request together get no longer than one of them. */
  readonly #endsAt: number
  readonly #inContext: InContext | undefined

  /** @param rest - of the same client and group as `first` */
  constructor(first: Member, rest: readonly Member[], options: JointOptions) {
    const join = (member: Member): JointOwner => new JointOwner(member, (reason) => options.interrupt(reason))
    this.#inContext = first.client.channels?.contextOfCall()
    this.#store = first.client
    this.#options = options
    this.#endsAt = monotonicMs() + options.limitMs
    this.#first = join(first)
    this.#owners = [this.#first, ...rest.map(join)]
  }

  async run(): Promise<JointOutcome> {
    const { waiters, readiness } = this.#store
    this.#options.signal.throwIfAborted()
    for (const owner of this.#owners) waiters.add(owner)
    try {
      await this.#inTime(readiness.ready(this.#first.address))
      return await this.#request()
    } finally {
      for (const owner of this.#owners) waiters.delete(owner)
    }
  }

  async #request(): Promise<JointOutcome> {
    const { steps, facts, settings, silence } = this.#store
    const { mode, leaseMs, signal } = this.#options
    signal.throwIfAborted()
    const requestedAt = silence.sent()
    const locks = this.#owners.map(({ address, owner }) => ({ address, owner }))
    const epoch = facts.connectionEpoch
    const sentAt = momentNow()
    // Its reply matters also if it comes too late: it says what there is to give up.
    const requested = steps.acquireMany?.({ locks, mode, leaseMs }, settings.commandTimeoutMs)
    requested?.then(
      () => silence.replied(requestedAt),
      () => undefined,
    )
    let reply: JointReply | undefined
    try {
      reply = await this.#inTime(requested)
    } catch (error) {
      this.#abandonLater(requested, epoch)
      throw signal.aborted ? error : toHoldfastError(error, detailsOf(this.#first))
    }
    return this.#onReply(reply, sentAt, epoch !== facts.connectionEpoch)
  }

  #onReply(reply: JointReply | undefined, sentAt: Moment, mayRepeat: boolean): JointOutcome {
    const entered = reply?.kind === 'entered' ? this.#owners.slice(0, reply.tokens.length) : []
    const { leaseMs } = this.#options
    const { facts, settings } = this.#store
    const { marginMs } = settings
    const { deadlineAt } = dateReply(sentAt, leaseMs, marginMs)
    const claimableUntil = Math.min(deadlineAt, facts.aliveUntil ?? Infinity)
    if (entered.length > 0 && !isAhead(claimableUntil, sentAt, leaseMs, marginMs)) {
      this.#abandon(this.#owners)
      throw repliedTooLate(this.#first)
    }
    // A driver that repeats what a break interrupted may have sent it twice; the other copy may still arrive, or came first.
    if (mayRepeat) this.#abandon(this.#owners.slice(entered.length))
    if (reply?.kind === 'not-a-lock') throw notALock(this.#ownerAt(reply.index).address, reply)
    if (reply?.kind !== 'entered') throw alreadyAbandoned(this.#first)
    const request = this.#options.requestFor(entered.length === this.#owners.length)
    const acquired = entered.map((owner, i) =>
      this.#admit(owner, reply.tokens[i] ?? 0, sentAt, deadlineAt, mayRepeat, request),
    )
    return { acquired, busy: reply.busy && this.#busy(reply.busy.index, reply.busy.reply.holder) }
  }

  #admit(
    { member, n, owner, wasRevoked }: JointOwner,
    fencingToken: number,
    requestedAt: Moment,
    deadlineAt: number,
    inDoubt: boolean,
    request: Request,
  ): Acquired {
    const { startedAt, leaseMs } = this.#options
    const { target } = member
    const grantedAt = requestedAt.monotonicMs
    const times = { requestedAt, grantedAt, deadlineAt, leaseMs }
    const grant = { target, n, owner, fencingToken, ...times, inDoubt, isProven: true }
    const admit = (): Acquired => Hold.open(this.#store, grant, request, monotonicMs() - startedAt, undefined)
    const acquired = this.#inContext ? this.#inContext(admit) : admit()
    if (wasRevoked) acquired.hold.checkEviction()
    return acquired
  }

  #busy(index: number, holder: string): NotAcquired {
    const { member, owner } = this.#ownerAt(index)
    const { address, kind: objectKind } = member.target
    const waitedMs = Math.round(monotonicMs() - this.#options.startedAt)
    return { kind: 'not-acquired', name: address.name, objectKind, owner, holder, position: 0, waitedMs }
  }

  #ownerAt(index: number): JointOwner {
    return this.#owners[index] ?? this.#first
  }

  get #leftMs(): number {
    return Math.max(1, this.#endsAt - monotonicMs())
  }

  async #inTime<T>(work: Promise<T> | undefined): Promise<T | undefined> {
    const { signal, startedAt } = this.#options
    if (!work) return undefined
    const result = await withTimeout(work, this.#leftMs, signal)
    if (result !== timedOut) return result
    const waitedMs = Math.round(monotonicMs() - startedAt)
    throw notReached(this.#first, this.#store, waitedMs, this.#store.silence.errorSince(startedAt))
  }

  #abandonLater(requested: Promise<JointReply> | undefined, epoch: number): void {
    const { abandonment, facts } = this.#store
    const { leaseMs } = this.#options
    for (const [i, { address, owner, member }] of this.#owners.entries()) {
      const left = { address, title: titleOf(member.target), owner, leaseMs, inDoubt: true }
      const after = (reply?: JointReply): AbandonedOwner | undefined => {
        const inDoubt = reply === undefined || epoch !== facts.connectionEpoch
        const isIn = reply?.kind === 'entered' && i < reply.tokens.length
        return inDoubt || isIn ? { ...left, inDoubt } : undefined
      }
      if (requested)
        abandonment.abandonLater(
          left,
          requested.then(after, () => after()),
        )
    }
  }

  #abandon(owners: readonly JointOwner[]): void {
    const { abandonment } = this.#store
    const { leaseMs } = this.#options
    for (const { address, owner, member } of owners) {
      abandonment.abandon({ address, title: titleOf(member.target), owner, inDoubt: true, leaseMs })
    }
  }
}
