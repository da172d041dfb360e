import type { Renewable, RenewalOutcome } from '@holdfast/watchdog'
import type { Client } from '../client.js'
import { momentNow, monotonicMs, sleptMsSince } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { driftMs } from './deadline.js'
import { LockLostError, UnavailableError } from '../errors.js'
import type { LossReason } from '../errors.js'
import type { LockKeys } from '../redis/keys.js'
import { Lease } from '../objects/lease.js'
import type { Request } from '../options.js'
import { pause, restMs } from '../util/backoff.js'
import { faultOf } from '../redis/errors.js'
import { notALock, sendRelease } from './release.js'
import type { ReleaseOrder, ReleaseOutcome } from './release.js'
import { Term } from './lease-clock.js'
import type { FirstProof } from './lease-clock.js'
import { Turns } from '../util/serial-queue.js'

/** What an acquisition hands over when it got the lock. */
export interface Grant extends FirstProof {
  readonly keys: LockKeys
  readonly n: number
  readonly owner: string
  readonly fencingToken: number
  /** An ask of this owner may still be on its way to Redis. */
  readonly inDoubt: boolean
  /** Whether no connection broke since Redis said so; else whoever answers there now may know nothing of the hold. */
  readonly isProven: boolean
}

/**
 * One owner's possession of one lock.
 *
 * | State    | true in it                                            | leaves it on                                     |
 * | -------- | ----------------------------------------------------- | ------------------------------------------------ |
 * | live     | at least one lease open, deadline ahead               | last lease left → leaving; loss → lost           |
 * | leaving  | no lease open, release on its way, watchdog let go    | answer or deadline → released; "not held" → lost |
 * | released | over                                                  | -                                                |
 * | lost     | over, and the holder was told                         | -                                                |
 *
 * Its commands go out one after another, each with the count it wants.
 */
export class Hold implements Renewable {
  readonly keys: LockKeys
  readonly n: number
  readonly owner: string
  readonly group: string
  #fencingToken: number
  #client: Client
  #state: 'live' | 'leaving' | 'released' | 'lost' = 'live'
  #loss: LockLostError | undefined
  readonly #leases: Lease[] = []
  readonly #turns = new Turns()
  readonly #term: Term
  readonly #brakeAt: number
  #renewal: { readonly sentAt: Moment; readonly leaseMs: number } | undefined
  #askedForProof = false
  #inDoubt: boolean
  readonly #isProven: boolean
  #runId: string | undefined

  constructor(client: Client, grant: Grant, request: Request) {
    this.#client = client
    this.keys = grant.keys
    this.n = grant.n
    this.owner = grant.owner
    this.#fencingToken = grant.fencingToken
    this.group = client.link.groupOf(grant.keys.lock)
    this.#term = new Term(grant, monotonicMs())
    this.#brakeAt = grant.grantedAt + request.maxHoldMs
    this.#inDoubt = grant.inDoubt
    this.#isProven = grant.isProven
    this.#runId = client.servers.known(grant.keys.lock)
    if (this.#runId === undefined && !client.servers.isRefused) this.#learnServer()
    client.holds.add(this)
  }

  /** Until then the hold may be claimed, unless it is renewed. What Redis was told before may outlive a nested brake. */
  get deadlineAt(): number {
    return Math.min(this.#term.deadlineAt, this.#nextBrakeAt())
  }

  get count(): number {
    return this.#leases.length
  }

  /** 0 while it has none: with Redisson only `getFencedLock` draws one. */
  get fencingToken(): number {
    return this.#fencingToken
  }

  get isReleased(): boolean {
    return this.#state === 'leaving' || this.#state === 'released'
  }

  /** Whether nobody has any business with it any more: released, or lost and left. */
  get isOver(): boolean {
    return this.isReleased || (this.#state === 'lost' && this.#leases.length === 0)
  }

  /** The loss, once there is one. Looking past the deadline is what tells a holder whose event loop was stalled. */
  get loss(): LockLostError | undefined {
    if (this.#state === 'live' && monotonicMs() >= this.deadlineAt) this.lose('expired')
    return this.#loss
  }

  /** Whether this process may claim the lock at this very moment. */
  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && !this.#sleptSinceProven()
  }

  remainingMs(): number {
    return this.isHeld ? Math.max(0, Math.floor(this.deadlineAt - monotonicMs())) : 0
  }

  /** Read by the watchdog: a hold is renewed while an open lease wants it, until the brake stops it. */
  get renewEveryMs(): number | null {
    if (this.#term.reaches(this.#nextBrakeAt())) return null
    for (const { isRenewed } of this.#leases) if (isRenewed) return this.#client.settings.rhythmMs
    return null
  }

  /** The first lease; the acquisition has counted it at Redis already. */
  open(request: Request, waitedMs: number): Lease {
    const lease = this.#addLease(request, waitedMs, this.#term.grantedAt)
    if (this.#state !== 'live') return lease
    this.#client.watchdog.add(this, this.#term.grantedAt)
    if (!this.#isProven) this.#client.watchdog.renewNow([this])
    return lease
  }

  /** Enters once more. `null` when the hold was released before its turn came: then the caller needs a hold of its own. */
  enter(request: Request, wantsToken: boolean): Promise<Lease | null> {
    const startedAt = monotonicMs()
    return this.#turns.take(async () => {
      for (let failures = 0; ;) {
        this.#assertNotLost()
        if (this.isReleased) return null
        request.signal?.throwIfAborted()
        const waitLeftMs = request.waitMs === 0 ? Infinity : startedAt + request.waitMs - monotonicMs()
        try {
          await this.#enterOnce(
            request,
            wantsToken,
            Math.min(this.#commandTimeoutMs, Math.max(1, waitLeftMs)),
          )
          const now = monotonicMs()
          return this.#addLease(request, now - startedAt, now)
        } catch (error) {
          const fault = faultOf(error, { lockName: this.keys.name, owner: this.owner })
          if (!(fault instanceof UnavailableError) || request.waitMs === 0) throw fault
          if (monotonicMs() - startedAt >= request.waitMs) throw fault
          this.#client.events.emit('error', fault)
          await pause(restMs(++failures))
        }
      }
    })
  }

  /** Leaves one lease; the last one releases the lock. Rejects with `LockLostError` when the hold was lost before. */
  async leave(lease: Lease): Promise<void> {
    const wasLost = this.loss !== undefined
    const turn = this.#turns.next()
    try {
      if (turn.ready) await turn.ready
      const order = this.#beginLeaving(lease, wasLost)
      if (order) this.#onLeft(order.count, await sendRelease(this.#client.releaseMeans, order))
    } finally {
      this.#endLeaving()
      turn.done()
    }
  }

  /** Extends a fixed lease; a later deadline stays, the brake holds. */
  extend(leaseMs: number): Promise<void> {
    return this.#turns.take(async () => {
      this.#assertNotLost()
      const sentAt = momentNow()
      const capped = this.#sending(leaseMs)
      const renewal = { keys: this.keys, owner: this.owner, leaseMs: capped }
      const [answer] = await this.#client.commands
        .renew([renewal], this.#commandTimeoutMs)
        .catch((error: unknown) => {
          throw faultOf(error, { lockName: this.keys.name, owner: this.owner })
        })
      if (answer !== 'renewed') this.lose('not-held')
      this.#assertNotLost()
      this.#term.prove(sentAt, capped)
      this.#client.watchdog.reschedule(this)
    })
  }

  /** The lease that the next renewal asks for. 1 ms for a hold that only needs proof that it is still held. */
  nextRenewal(sentAt: Moment): { keys: LockKeys; owner: string; leaseMs: number } {
    const wanted = this.renewEveryMs === null ? 1 : this.#client.settings.watchdogTimeoutMs
    const leaseMs = this.#sending(wanted)
    this.#renewal = { sentAt, leaseMs }
    return { keys: this.keys, owner: this.owner, leaseMs }
  }

  /** Called by the watchdog. */
  settle(outcome: RenewalOutcome): void {
    this.#askedForProof = false
    if (outcome === 'lost') this.lose('not-held')
    if (outcome !== 'renewed' || this.#state !== 'live' || !this.#renewal) return
    this.#term.prove(this.#renewal.sentAt, this.#renewal.leaseMs)
    const { events } = this.#client
    if (!events.isHeard('renewed')) return
    events.emit('renewed', { name: this.keys.name, owner: this.owner, remainingMs: this.remainingMs() })
  }

  /** Called by the watchdog when the deadline has passed. */
  expire(): void {
    this.lose('expired')
  }

  /** Ends the hold for its holder: signals abort, the loss is reported. Nothing when it is over already. */
  lose(reason: LossReason): void {
    if (this.#state === 'released' || this.#state === 'lost') return
    this.#state = 'lost'
    const error = new LockLostError(`${lossText[reason]} (lock ${this.keys.name}, owner ${this.owner})`, {
      lockName: this.keys.name,
      owner: this.owner,
      reason,
    })
    this.#loss = error
    this.#client.watchdog.delete(this)
    this.#client.holds.remove(this, 'lost')
    // Who is told may leave at once.
    for (const lease of [...this.#leases]) lease.abort(error)
    this.#client.events.emit('lost', { name: this.keys.name, owner: this.owner, error })
    // Unless Redis itself said otherwise it may still count us as the holder: let the next one in as soon as it can be
    // told. Word of an eviction may be older than this hold, if its owner was let in again since.
    if (reason !== 'not-held' || this.#inDoubt) this.#giveUp()
  }

  /** A command that is answered only after the deadline is of no use, and holds up the release behind it. */
  get #commandTimeoutMs(): number {
    const leftMs = Math.ceil(this.deadlineAt - monotonicMs())
    return Math.max(1, Math.min(this.#client.settings.commandTimeoutMs, leftMs))
  }

  #assertNotLost(): void {
    if (this.loss) throw this.loss
  }

  async #enterOnce(request: Request, wantsToken: boolean, timeoutMs: number): Promise<void> {
    const sentAt = momentNow()
    const leaseMs = this.#sending(
      Math.min(request.leaseMs ?? this.#client.settings.watchdogTimeoutMs, request.maxHoldMs),
    )
    const ask = {
      owner: this.owner,
      count: this.#leases.length + 1,
      leaseMs,
      placeMs: 0,
      grantLeaseMs: leaseMs,
      inbox: this.#client.inbox.channel,
      wantsToken: wantsToken && this.#fencingToken === 0,
    }
    const answer = await this.#client.commands.acquire(this.keys, ask, timeoutMs)
    if (answer.kind === 'foreign') throw notALock(this.keys, answer.type)
    if (answer.kind === 'held') this.#fencingToken ||= answer.token
    else this.lose('not-held')
    this.#assertNotLost()
    this.#term.prove(sentAt, leaseMs)
  }

  /** What to send, if anything. */
  #beginLeaving(lease: Lease, wasLost: boolean): ReleaseOrder | undefined {
    const client = this.#client
    this.#leases.splice(this.#leases.indexOf(lease), 1)
    if (this.loss?.reason === 'expired' && !wasLost) {
      // It was held to the end; only a command that Redis left unanswered kept the release from being sent.
      client.warn('RELEASE_UNCONFIRMED', unconfirmedText(this))
      return undefined
    }
    this.#assertNotLost()
    const count = this.#leases.length
    if (count === 0) {
      this.#state = 'leaving'
      client.watchdog.delete(this)
    } else {
      client.watchdog.reschedule(this)
    }
    const goneMs = count === 0 && this.#inDoubt ? client.goneMs(this.#term.leaseMs) : 0
    const { keys, owner, deadlineAt: until } = this
    return { keys, owner, count, goneMs, until, runId: this.#runId }
  }

  #onLeft(count: number, outcome: ReleaseOutcome): void {
    const { events } = this.#client
    if (outcome === 'not-held') this.lose('not-held')
    this.#assertNotLost()
    if (outcome === 'unanswered') {
      this.#client.warn('RELEASE_UNCONFIRMED', unconfirmedText(this))
      this.#giveUp()
    }
    this.#endLeaving()
    if (!events.isHeard('released')) return
    events.emit('released', { name: this.keys.name, owner: this.owner, holdCount: count })
  }

  #endLeaving(): void {
    if (this.#state !== 'leaving') return
    this.#state = 'released'
    this.#client.holds.remove(this, 'released')
  }

  #addLease(request: Request, waitedMs: number, enteredAt: number): Lease {
    const lease = new Lease(this.#client, this, request.leaseMs, enteredAt + request.maxHoldMs)
    this.#leases.push(lease)
    this.#client.watchdog.reschedule(this)
    const { events } = this.#client
    if (events.isHeard('acquired')) {
      const { fencingToken, count: holdCount } = this
      events.emit('acquired', { name: this.keys.name, owner: this.owner, holdCount, fencingToken, waitedMs })
    }
    return lease
  }

  /** The brake of the whole hold, or an earlier one of a nested lease for as long as that one is open. */
  #nextBrakeAt(): number {
    let nextAt = this.#brakeAt
    for (const { brakeAt } of this.#leases) nextAt = Math.min(nextAt, brakeAt)
    return nextAt
  }

  /** The lease to send now. */
  #sending(wantedMs: number): number {
    return this.#term.sending(wantedMs, this.#nextBrakeAt(), monotonicMs())
  }

  /** Has Redis told, as soon as it listens, that nobody holds here; its TTL may outlive what this process believed. */
  #giveUp(): void {
    this.#client.giveUp(this.keys, this.owner, this.#inDoubt, this.#term.mayLastMs(monotonicMs()))
  }

  /** After a suspend the hold is unknown until a renewal, asked for here, proves it. */
  #sleptSinceProven(): boolean {
    if (sleptMsSince(this.#term.provenAt) <= driftMs(this.#term.leaseMs)) return false
    if (!this.#askedForProof) {
      this.#askedForProof = true
      this.#client.watchdog.renewNow([this])
    }
    return true
  }

  /** The process that proved this hold, if its connection did not break before it said who it is. */
  #learnServer(): void {
    const { link, servers, background } = this.#client
    const { breaks } = link
    const learn = async (): Promise<void> => {
      const { runId } = await servers.read(this.keys.lock)
      if (breaks === link.breaks) this.#runId = runId
    }
    // Not to know is no fault: a release in doubt then counts as a loss.
    background.run(learn().catch(() => undefined))
  }
}

const lossText: Record<LossReason, string> = {
  expired: 'the lease ended before the lock was released, somebody else may hold it now',
  'not-held': 'Redis no longer counts this owner as the holder',
  revoked: 'the hold was revoked by forceUnlock',
  closed: 'the client was closed before the hold was released',
}

const unconfirmedText = ({ keys, owner }: Hold): string =>
  `no answer to the release of lock ${keys.name} by ${owner}; its lease ends by itself`
