import type { TracedAcquisition } from '../channels/channels.js'
import { ownerOf, titleOf, type Address, type JointReply, type Target } from '../engine/requests.js'
import { notALock, toHoldfastError, UnavailableError } from '../errors/errors.js'
import { Hold, type Acquired } from '../holding/hold.js'
import type { AbandonedOwner } from '../holding/release.js'
import { reenter } from '../objects/entrance.js'
import type { Request } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import type { StoreClient } from '../store-client.js'
import { dateReply, isAhead, isTimeUp, momentNow, monotonicMs } from '../time/time.js'
import { ListNode } from '../util/lists.js'
import { onAbort, pause, retryAfterMs, timedOut, withTimeout } from '../util/timeouts.js'
import {
  alreadyAbandoned,
  closedWhileWaiting,
  detailsOf,
  notReached,
  notReplied,
  repliedTooLate,
  type NotAcquired,
} from '../waiting/outcome.js'
import type { Waiter } from '../waiting/waiter-table.js'
import {
  mayReenter,
  neighboursFrom,
  HeldMembers,
  type Member,
  type MemberBodies,
  type MultiHold,
} from './member.js'

/** An attempt with a step that took no longer than this has not waited to speak of. */
const soonMs = 50

export interface AcquiredTogether {
  readonly kind: 'acquired'
  readonly hold: MultiHold
  readonly bodies: MemberBodies | undefined
}

/** `lost`: a member was lost before all were there. */
export type AttemptOutcome =
  AcquiredTogether | { readonly kind: 'lost'; readonly lost: NotAcquired } | NotAcquired

/**
 * One attempt at all members, in their order.
 *
 * | State      | true in it                                              | leaves it on                                    |
 * | ---------- | ------------------------------------------------------- | ----------------------------------------------- |
 * | entering   | nothing is held for this attempt; members that the      | all entered → requesting                        |
 * |            | caller holds already are entered once more              |                                                 |
 * | requesting | members that neighbour are requested by one command;    | entered → requesting the next ones; one busy →  |
 * |            | all before them are held                                | waiting; no reply → pausing                     |
 * | waiting    | one member is waited for in its queue, by an ordinary   | acquired → requesting the next ones             |
 * |            | acquisition; all before it are held and kept, and no    |                                                 |
 * |            | other queue has an entry of this attempt                |                                                 |
 * | pausing    | nothing is in flight                                    | pause over → as before                          |
 * | proving    | all are held; one command extends them to the full      | confirmed → over; no reply → pausing            |
 * |            | lease. Only if something was waited for                 |                                                 |
 * | over       | all are handed out, or what was held is given back      | -                                               |
 *
 * Every state also ends by `waitMs`, by the signal, by `close()`, by a refusal and by the loss of a member that is held.
 *
 * Members are never queued for together. A queue entry of a free lock keeps others out, as a hold does. So an attempt that
 * queued for two members would hold up one lock while it waits for another, in no order at all.
 */
class MultiAttempt {
  readonly #members: readonly Member[]
  readonly #request: Request
  readonly #startedAt: number
  readonly #interruption = new AbortController()
  readonly #held: HeldMembers
  #busy: NotAcquired | undefined
  #hasWaited = false
  readonly #bodies: MemberBodies | undefined
  /** The member that is requested by itself now, or was last. */
  #alone: { readonly isContended: boolean } | undefined

  /** @param bodies - those of the callback that it is for, if any */
  constructor(
    members: readonly Member[],
    request: Request,
    startedAt: number,
    bodies: MemberBodies | undefined,
  ) {
    this.#members = members
    this.#request = request
    this.#startedAt = startedAt
    this.#bodies = bodies
    this.#held = new HeldMembers(members, request, (error) => this.#interruption.abort(error))
  }

  get isContended(): boolean {
    return this.#busy?.holder !== undefined || this.#alone?.isContended === true
  }

  async run(): Promise<AttemptOutcome> {
    const { signal } = this.#request
    const stopListening = signal && onAbort(signal, () => this.#interruption.abort(signal.reason))
    try {
      const notAcquired = await this.#acquireAll()
      if (!notAcquired) return this.#handOut()
      this.#giveBack()
      return notAcquired
    } catch (error) {
      const { lost } = this.#held
      this.#giveBack()
      if (lost)
        return {
          kind: 'lost',
          lost: notAcquiredBy({ target: lost.member.target, owner: lost.hold.owner }, '', this.#waitedMs),
        }
      throw error
    } finally {
      stopListening?.()
    }
  }

  async #acquireAll(): Promise<NotAcquired | undefined> {
    const enclosing = this.#members.map((member) => this.#enclosingHold(member))
    const late = await this.#untilTurn(enclosing)
    if (late) return late
    const missing = await this.#enterAgain(enclosing)
    if ('kind' in missing) return missing
    return (await this.#acquire(missing)) ?? (await this.#prove())
  }

  #enclosingHold(member: Member): Possession | undefined {
    const { client, target } = member
    return mayReenter(member, this.#request) ? client.frames.enclosingHold(target.address) : undefined
  }

  /** Before anything is acquired: a callback that has its turn may want the same lock. */
  async #untilTurn(enclosing: readonly (Possession | undefined)[]): Promise<NotAcquired | undefined> {
    if (!this.#bodies) return undefined
    for (const [i, member] of this.#members.entries()) {
      const hold = enclosing[i]
      if (hold) this.#bodies.join(member, hold)
    }
    return this.#bodies.untilTurn({ ...this.#request, signal: this.#interruption.signal }, this.#startedAt)
  }

  #handOut(): AcquiredTogether {
    const hold = this.#held.handOut()
    this.#bodies?.settle(hold.members)
    return { kind: 'acquired', hold, bodies: this.#bodies }
  }

  #giveBack(): void {
    this.#bodies?.giveUp()
    this.#held.giveBack()
  }

  /** Enters what the caller holds, and returns the other members. A hold that was released in the meantime counts as none. */
  async #enterAgain(
    enclosing: readonly (Possession | undefined)[],
  ): Promise<readonly Member[] | NotAcquired> {
    const isWhole = !enclosing.includes(undefined)
    const missing: Member[] = []
    for (const [i, member] of this.#members.entries()) {
      const { client, target, wantsToken } = member
      const hold = enclosing[i]
      const entry = hold && (await reenter(client, hold, target, this.#options(client, isWhole), wantsToken))
      if (entry && 'waitedMs' in entry) return entry
      if (entry) this.#held.add({ member, hold, entry, own: undefined }, isWhole)
      else missing.push(member)
      this.#assertGoingOn()
    }
    return missing
  }

  async #acquire(missing: readonly Member[]): Promise<NotAcquired | undefined> {
    let isBusy = false
    for (let next = 0; next < missing.length;) {
      const neighbours: readonly Member[] = isBusy
        ? missing.slice(next, next + 1)
        : neighboursFrom(missing, next)
      const [first, ...rest] = neighbours
      if (!first) return undefined
      if (this.#isOutOfTime) return this.#outOfTime(first)
      const isWhole = neighbours.length === missing.length
      const requestedAt = monotonicMs()
      const { acquired, busy } = await (rest.length === 0
        ? this.#acquireAlone(first, isWhole)
        : this.#acquireJointly(first, rest, isWhole))
      acquired.forEach(({ hold, entry }, i) => {
        const member = neighbours[i] ?? first
        this.#held.add({ member, hold, entry, own: hold }, isWhole && !busy)
      })
      this.#assertGoingOn()
      next += acquired.length
      this.#busy = busy ?? this.#busy
      this.#hasWaited ||= busy !== undefined || (!isWhole && monotonicMs() - requestedAt > soonMs)
      // Only a request for several leaves a busy member to an acquisition of its own, which may queue.
      if (busy && (rest.length === 0 || this.#request.waitMs === 0)) return busy
      isBusy = busy !== undefined
    }
    return undefined
  }

  /** By an acquisition like that of a single lock. */
  async #acquireAlone(member: Member, isWhole: boolean): Promise<JointOutcome> {
    const { client, target, wantsToken } = member
    client.closing.assertOpen(target.address.name)
    const inside = mayReenter(member, this.#request) ? undefined : client.frames.enclosingHold(target.address)
    const options = { ...this.#options(client, isWhole), inside }
    const acquisition = client.begin(target, options, wantsToken, this.#startedAt)
    this.#alone = acquisition
    const outcome = await acquisition.run()
    return 'hold' in outcome
      ? { acquired: [outcome], busy: undefined }
      : { acquired: [], busy: { ...outcome, waitedMs: this.#waitedMs } }
  }

  async #acquireJointly(first: Member, rest: readonly Member[], isWhole: boolean): Promise<JointOutcome> {
    const { client, target } = first
    const joint = await this.#untilAnswered(first, () => {
      client.closing.assertOpen(target.address.name)
      return requestJointly(first, rest, {
        mode: this.#request.waitMs === 0 ? 'all' : 'first',
        leaseMs: this.#held.leaseMs(client),
        limitMs: this.#limitMs(client),
        startedAt: this.#startedAt,
        signal: this.#interruption.signal,
        requestFor: (isAll) => this.#options(client, isWhole && isAll),
        interrupt: (reason) => this.#interruption.abort(reason),
      })
    })
    return joint ?? { acquired: [], busy: this.#outOfTime(first) }
  }

  /** Shows that all are held at one instant, and has all begin with the full lease. */
  async #prove(): Promise<NotAcquired | undefined> {
    const [first] = this.#members
    if (!this.#held.areHeld()) this.#assertGoingOn()
    if (!first || !this.#hasWaited) return undefined
    if (this.#isOutOfTime) return this.#outOfTime(first)
    const isProven = await this.#untilAnswered(first, async () => {
      const limitMs = this.#limitMs(first.client)
      await withTimeout(this.#held.prove(limitMs), Infinity, this.#interruption.signal)
      return true
    })
    return isProven ? undefined : this.#outOfTime(first)
  }

  /** Repeats a step while the store does not reply, as long as the caller waits. `undefined`: the caller did not wait for the reply. */
  async #untilAnswered<T>({ client, target }: Member, step: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#interruption
    const { reports, silence } = client
    for (let failures = 0; ;) {
      this.#assertGoingOn()
      const startedAt = monotonicMs()
      const endsAt = startedAt + this.#limitMs(client)
      try {
        return await step()
      } catch (thrown) {
        this.#assertGoingOn()
        const error = toHoldfastError(thrown)
        if (!(error instanceof UnavailableError) || this.#request.waitMs === 0) throw error
        // A step may end a moment before the wait that limits it.
        if (this.#isOutOfTime || isTimeUp(endsAt)) {
          if (failures === 0 && !silence.isOutage(startedAt)) return undefined
          throw notReached({ target }, client, this.#waitedMs, error)
        }
        reports.error(error)
        this.#hasWaited = true
        await withTimeout(pause(retryAfterMs(++failures)), this.#limitMs(client), signal)
      }
    }
  }

  #assertGoingOn(): void {
    this.#interruption.signal.throwIfAborted()
  }

  /** @param isWhole - nothing else is to come: the caller's own options */
  #options(client: StoreClient, isWhole: boolean): Request {
    const { signal } = this.#interruption
    const { waitMs } = this.#request
    const waitLeftMs = waitMs === 0 ? 0 : Math.max(1, Math.ceil(this.#waitLeftMs))
    if (isWhole) return { ...this.#request, waitMs: waitLeftMs, signal }
    return { ...this.#held.optionsFor(client, waitLeftMs), signal }
  }

  get #waitLeftMs(): number {
    return this.#startedAt + this.#request.waitMs - monotonicMs()
  }

  get #waitedMs(): number {
    return Math.round(monotonicMs() - this.#startedAt)
  }

  get #isOutOfTime(): boolean {
    return this.#request.waitMs > 0 && isTimeUp(this.#startedAt + this.#request.waitMs)
  }

  /** How long the next step may take: a single attempt one command's time. */
  #limitMs({ settings }: StoreClient): number {
    return this.#request.waitMs === 0 ? settings.commandTimeoutMs : Math.max(1, this.#waitLeftMs)
  }

  /** Before this member was acquired. */
  #outOfTime({ target }: Member): NotAcquired {
    const busy = this.#busy ?? notReplied(target, undefined, 0)
    return { ...busy, waitedMs: this.#waitedMs }
  }
}

/**
 * Acquires all members or none.
 *
 * A member that is lost while others are waited for takes the whole attempt along, and everything begins again. A call that
 * does not wait ends instead.
 *
 * @param members - in the order of `inOrder`
 * @param startedAt - since when the caller waits
 * @param beginBody - for a callback: makes its bodies, which have their turn in what is returned
 */
export function acquireTogether(
  members: readonly Member[],
  request: Request,
  startedAt: number,
  beginBody?: () => MemberBodies,
): Promise<AcquiredTogether | NotAcquired> {
  const contention: Contention = { before: false, now: undefined }
  const channels = members[0]?.client.channels
  const inContext = channels?.contextOfCall()
  const run = (): Promise<AcquiredTogether | NotAcquired> =>
    attemptUntilOver(members, request, startedAt, contention, beginBody)
  const attempt = (): Promise<AcquiredTogether | NotAcquired> =>
    channels && inContext ? channels.inWhole(inContext, run) : run()
  if (!channels?.wantsAcquisitions) return attempt()
  return channels.acquire(
    {
      subject: subjectOf(members),
      request,
      wantedSince: startedAt,
      isContended: () => contention.before || contention.now?.isContended === true,
    },
    attempt,
  )
}

/** Whether a member was busy so far: in an attempt that is over, and in the one under way. */
interface Contention {
  before: boolean
  now: { readonly isContended: boolean } | undefined
}

async function attemptUntilOver(
  members: readonly Member[],
  request: Request,
  startedAt: number,
  contention: Contention,
  beginBody: (() => MemberBodies) | undefined,
): Promise<AcquiredTogether | NotAcquired> {
  for (;;) {
    request.signal?.throwIfAborted()
    const attempt = new MultiAttempt(members, request, startedAt, beginBody?.())
    contention.now = attempt
    const outcome = await attempt.run()
    contention.before ||= attempt.isContended
    if (outcome.kind === 'acquired') return outcome
    if (outcome.kind === 'not-acquired') return outcome
    if (request.waitMs === 0) return outcome.lost
  }
}

function subjectOf(members: readonly Member[]): TracedAcquisition['subject'] {
  const { clientId = '', settings } = members[0]?.client ?? {}
  const name = members.map(({ target: { address } }) => address.name).join(', ')
  return { clientId, engine: settings?.engine ?? '', name, kind: 'multi-lock', owner: undefined }
}

interface Owning {
  readonly target: Target
  readonly owner: string
}

interface JointOptions {
  readonly mode: 'all' | 'first'
  readonly leaseMs: number
  readonly limitMs: number
  readonly startedAt: number
  readonly signal: AbortSignal
  /** With which options those that were entered begin. */
  readonly requestFor: (isAll: boolean) => Request
  readonly interrupt: (reason: unknown) => void
}

/** Which members were entered, the first ones, and why the next one was not. */
interface JointOutcome {
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
 * Requests several members of one client by one command, each for an owner of its own. Owners are known to the client from before its
 * first-use checks until the reply is dealt with; without one in time, or if it is interrupted, all are abandoned with tombstones.
 *
 * @param rest - of the same client and group as `first`
 */
async function requestJointly(
  first: Member,
  rest: readonly Member[],
  { mode, leaseMs, limitMs, startedAt, signal, requestFor, interrupt }: JointOptions,
): Promise<JointOutcome> {
  const store = first.client
  const { abandonment, facts, readiness, settings, silence, steps, waiters } = store
  const inContext = store.channels?.contextOfCall()
  // The checks and the request together get no longer than one of them.
  const endsAt = monotonicMs() + limitMs
  const lead = new JointOwner(first, interrupt)
  const owners = [lead, ...rest.map((member) => new JointOwner(member, interrupt))]
  const ownerAt = (index: number): JointOwner => owners[index] ?? lead
  const waitedMs = (): number => Math.round(monotonicMs() - startedAt)
  const inTime = async <T>(work: Promise<T> | undefined): Promise<T | undefined> => {
    if (!work) return undefined
    const result = await withTimeout(work, Math.max(1, endsAt - monotonicMs()), signal)
    if (result !== timedOut) return result
    throw notReached(lead, store, waitedMs(), silence.errorSince(startedAt))
  }
  const leftOf = ({ address, target, owner }: JointOwner): AbandonedOwner => ({
    ...{ address, title: titleOf(target), owner, leaseMs },
    inDoubt: true,
  })
  const abandon = (left: readonly JointOwner[]): void => {
    for (const owner of left) abandonment.abandon(leftOf(owner))
  }

  async function request(): Promise<JointOutcome> {
    signal.throwIfAborted()
    const requestedAt = silence.sent()
    const epoch = facts.connectionEpoch
    // A driver that repeats what a break interrupted may have sent it twice; the other copy may still arrive, or came first.
    const mayRepeat = (): boolean => epoch !== facts.connectionEpoch
    const sentAt = momentNow()
    const locks = owners.map(({ address, owner }) => ({ address, owner }))
    // Its reply matters also if it comes too late: it says what there is to give up.
    const requested = steps.acquireMany?.({ locks, mode, leaseMs }, settings.commandTimeoutMs)
    requested?.then(
      () => silence.replied(requestedAt),
      () => undefined,
    )
    const abandonLater = (owner: JointOwner, i: number): void => {
      const left = leftOf(owner)
      const after = (reply?: JointReply): AbandonedOwner | undefined => {
        const inDoubt = reply === undefined || mayRepeat()
        const isIn = reply?.kind === 'entered' && i < reply.tokens.length
        return inDoubt || isIn ? { ...left, inDoubt } : undefined
      }
      const settled = requested?.then(after, () => after())
      if (settled) abandonment.abandonLater(left, settled)
    }
    let reply: JointReply | undefined
    try {
      reply = await inTime(requested)
    } catch (error) {
      owners.forEach(abandonLater)
      throw signal.aborted ? error : toHoldfastError(error, detailsOf(lead))
    }
    const inDoubt = mayRepeat()
    const entered = reply?.kind === 'entered' ? owners.slice(0, reply.tokens.length) : []
    const { marginMs } = settings
    const { deadlineAt } = dateReply(sentAt, leaseMs, marginMs)
    const claimableUntil = Math.min(deadlineAt, facts.aliveUntil ?? Infinity)
    if (entered.length > 0 && !isAhead(claimableUntil, sentAt, leaseMs, marginMs)) {
      abandon(owners)
      throw repliedTooLate(lead)
    }
    if (inDoubt) abandon(owners.slice(entered.length))
    if (reply?.kind === 'not-a-lock') throw notALock(ownerAt(reply.index).address, reply)
    if (reply?.kind !== 'entered') throw alreadyAbandoned(lead)
    const { tokens, busy } = reply
    const options = requestFor(entered.length === owners.length)
    const times = { requestedAt: sentAt, grantedAt: sentAt.monotonicMs, deadlineAt, leaseMs }
    const acquired = entered.map(({ target, n, owner, wasRevoked }, i) => {
      const grant = { target, n, owner, fencingToken: tokens[i] ?? 0, ...times, inDoubt, isProven: true }
      const admit = (): Acquired => Hold.open(store, grant, options, monotonicMs() - startedAt, undefined)
      const one = inContext ? inContext(admit) : admit()
      if (wasRevoked) one.hold.checkEviction()
      return one
    })
    return { acquired, busy: busy && notAcquiredBy(ownerAt(busy.index), busy.reply.holder, waitedMs()) }
  }

  signal.throwIfAborted()
  for (const owner of owners) waiters.add(owner)
  try {
    await inTime(readiness.ready(lead.address))
    return await request()
  } finally {
    for (const owner of owners) waiters.delete(owner)
  }
}

const notAcquiredBy = ({ target, owner }: Owning, holder: string, waitedMs: number): NotAcquired => ({
  kind: 'not-acquired',
  name: target.address.name,
  objectKind: target.kind,
  ...{ owner, holder, position: 0, waitedMs },
})
