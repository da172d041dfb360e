import type { TracedAcquisition } from '../channels/channels.js'
import { UnavailableError } from '../errors/errors.js'
import { toHoldfastError } from '../errors/store-errors.js'
import type { Request } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import { onAbort } from '../util/abort.js'
import { isTimeUp, monotonicMs } from '../util/clock.js'
import { pause, retryAfterMs, withTimeout } from '../util/timeouts.js'
import { notReached, notReplied } from '../waiting/outcome.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { reenter } from '../waiting/turn.js'
import { JointAcquisition } from './joint-acquisition.js'
import type { JointOutcome } from './joint-acquisition.js'
import { mayReenter, neighboursFrom } from './member.js'
import type { HeldMember, Member, MemberBodies, MemberClient, MemberLease } from './member.js'
import { HeldMembers } from './multi-hold.js'
import type { MultiHold } from './multi-hold.js'

/** An attempt with a step that took no longer than this has not waited to speak of. */
const soonMs = 50

/** All members as one, with the bodies of the callback if it is for one. */
export interface AcquiredTogether<L extends MemberLease> {
  readonly kind: 'acquired'
  readonly hold: MultiHold<L>
  readonly bodies: MemberBodies<L> | undefined
}

/** `lost`: a member was lost before all were there. */
export type AttemptOutcome<L extends MemberLease> =
  AcquiredTogether<L> | { readonly kind: 'lost'; readonly lost: NotAcquired } | NotAcquired

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
class MultiAttempt<L extends MemberLease> {
  readonly #members: readonly Member<L>[]
  readonly #request: Request
  readonly #startedAt: number
  readonly #interruption = new AbortController()
  readonly #held: HeldMembers<L>
  /** The last member that was busy. */
  #busy: NotAcquired | undefined
  #hasWaited = false
  readonly #bodies: MemberBodies<L> | undefined
  /** The member that is requested by itself now, or was last. */
  #alone: { readonly isContended: boolean } | undefined

  /** @param bodies - those of the callback that it is for, if any */
  constructor(
    members: readonly Member<L>[],
    request: Request,
    startedAt: number,
    bodies: MemberBodies<L> | undefined,
  ) {
    this.#members = members
    this.#request = request
    this.#startedAt = startedAt
    this.#bodies = bodies
    this.#held = new HeldMembers<L>(members, request, (error) => this.#interruption.abort(error))
  }

  /** Whether another owner has been in the way. */
  get isContended(): boolean {
    return this.#busy?.holder !== undefined || this.#alone?.isContended === true
  }

  async run(): Promise<AttemptOutcome<L>> {
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
      if (lost) return { kind: 'lost', lost: this.#notAcquired(lost) }
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

  #enclosingHold(member: Member<L>): Possession<L> | undefined {
    const { client, target } = member
    return mayReenter(member, this.#request) ? client.frames.enclosingHold(target.address) : undefined
  }

  /** Before anything is acquired: a callback that has its turn may want the same lock. */
  async #untilTurn(enclosing: readonly (Possession<L> | undefined)[]): Promise<NotAcquired | undefined> {
    if (!this.#bodies) return undefined
    for (const [i, member] of this.#members.entries()) {
      const hold = enclosing[i]
      if (hold) this.#bodies.join(member, hold)
    }
    return this.#bodies.untilTurn({ ...this.#request, signal: this.#interruption.signal }, this.#startedAt)
  }

  #handOut(): AcquiredTogether<L> {
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
    enclosing: readonly (Possession<L> | undefined)[],
  ): Promise<readonly Member<L>[] | NotAcquired> {
    const isWhole = !enclosing.includes(undefined)
    const missing: Member<L>[] = []
    for (const [i, member] of this.#members.entries()) {
      const { client, target, wantsToken } = member
      const hold = enclosing[i]
      const lease = hold && (await reenter(client, hold, target, this.#options(client, isWhole), wantsToken))
      if (lease && !('unlock' in lease)) return lease
      if (lease) this.#held.add({ member, hold, lease, own: undefined }, isWhole)
      else missing.push(member)
      this.#assertGoingOn()
    }
    return missing
  }

  async #acquire(missing: readonly Member<L>[]): Promise<NotAcquired | undefined> {
    let isBusy = false
    for (let next = 0; next < missing.length;) {
      const neighbours: readonly Member<L>[] = isBusy
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
      acquired.forEach(({ hold, lease }, i) => {
        const member = neighbours[i] ?? first
        this.#held.add({ member, hold, lease, own: hold }, isWhole && !busy)
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
  async #acquireAlone(member: Member<L>, isWhole: boolean): Promise<JointOutcome<L>> {
    const { client, target, wantsToken } = member
    client.closing.assertOpen(target.address.name)
    const inside = mayReenter(member, this.#request) ? undefined : client.frames.enclosingHold(target.address)
    const options = { ...this.#options(client, isWhole), inside }
    const acquisition = client.acquirer.begin(target, options, wantsToken, this.#startedAt)
    this.#alone = acquisition
    const outcome = await acquisition.run()
    return 'hold' in outcome
      ? { acquired: [outcome], busy: undefined }
      : { acquired: [], busy: { ...outcome, waitedMs: this.#waitedMs } }
  }

  async #acquireJointly(
    first: Member<L>,
    rest: readonly Member<L>[],
    isWhole: boolean,
  ): Promise<JointOutcome<L>> {
    const { client, target } = first
    const joint = await this.#untilAnswered(first, () => {
      client.closing.assertOpen(target.address.name)
      const joint = new JointAcquisition(first, rest, {
        mode: this.#request.waitMs === 0 ? 'all' : 'first',
        leaseMs: this.#held.leaseMs(client),
        limitMs: this.#limitMs(client),
        startedAt: this.#startedAt,
        signal: this.#interruption.signal,
        requestFor: (isAll) => this.#options(client, isWhole && isAll),
        interrupt: (reason) => this.#interruption.abort(reason),
      })
      return joint.run()
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
  async #untilAnswered<T>({ client, target }: Member<L>, step: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#interruption
    const { reports, settings, silence } = client.acquirer.deps
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
        const details = { lockName: target.address.name }
        // A step may end a moment before the wait that limits it.
        if (this.#isOutOfTime || isTimeUp(endsAt)) {
          if (failures === 0 && !silence.isOutage(startedAt)) return undefined
          throw notReached(target, settings, this.#waitedMs, error, details)
        }
        reports.error(error)
        this.#hasWaited = true
        await withTimeout(pause(retryAfterMs(++failures)), this.#limitMs(client), signal)
      }
    }
  }

  /** Throws why the attempt ends, if it does. */
  #assertGoingOn(): void {
    this.#interruption.signal.throwIfAborted()
  }

  /** @param isWhole - nothing else is to come: the caller's own options */
  #options(client: MemberClient<L>, isWhole: boolean): Request {
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
  #limitMs({ settings }: MemberClient<L>): number {
    return this.#request.waitMs === 0 ? settings.commandTimeoutMs : Math.max(1, this.#waitLeftMs)
  }

  /** Before this member was acquired. */
  #outOfTime({ target }: Member<L>): NotAcquired {
    const busy = this.#busy ?? notReplied(target, undefined, 0)
    return { ...busy, waitedMs: this.#waitedMs }
  }

  #notAcquired({ member: { target }, hold: { owner } }: HeldMember<L>): NotAcquired {
    const { kind: objectKind, address } = target
    const where = { name: address.name, objectKind, owner, holder: '', position: 0 }
    return { kind: 'not-acquired', ...where, waitedMs: this.#waitedMs }
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
export function acquireTogether<L extends MemberLease>(
  members: readonly Member<L>[],
  request: Request,
  startedAt: number,
  beginBody?: () => MemberBodies<L>,
): Promise<AcquiredTogether<L> | NotAcquired> {
  const contention: Contention = { before: false, now: undefined }
  const channels = members[0]?.client.channels
  const inContext = channels?.contextOfCall()
  const run = (): Promise<AcquiredTogether<L> | NotAcquired> =>
    attemptUntilOver(members, request, startedAt, contention, beginBody)
  const attempt = (): Promise<AcquiredTogether<L> | NotAcquired> =>
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

async function attemptUntilOver<L extends MemberLease>(
  members: readonly Member<L>[],
  request: Request,
  startedAt: number,
  contention: Contention,
  beginBody: (() => MemberBodies<L>) | undefined,
): Promise<AcquiredTogether<L> | NotAcquired> {
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

function subjectOf<L extends MemberLease>(members: readonly Member<L>[]): TracedAcquisition['subject'] {
  const { clientId = '', engine = '' } = members[0]?.client.acquirer.deps.settings ?? {}
  const name = members.map(({ target: { address } }) => address.name).join(', ')
  return { clientId, engine, name, kind: 'multi-lock', owner: undefined }
}
