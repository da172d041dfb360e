import type { LockSteps } from '../engine/lock-steps.js'
import { titleOf, type Target } from '../engine/requests.js'
import { InvalidArgumentError, LockLostError } from '../errors/errors.js'
import type { Extension, Hold } from '../holding/hold.js'
import { lossForCaller, reasonTogether } from '../holding/loss.js'
import { endBody, joinTurns, untilTurn } from '../objects/entrance.js'
import type { Request } from '../options/options.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import type { Body, CallSite } from '../ownership/turns.js'
import type { StoreClient } from '../store-client.js'
import { slotOf } from '../util/lists.js'
import { onAbort } from '../util/timeouts.js'
import type { NotAcquired } from '../waiting/outcome.js'

export interface Member {
  readonly client: StoreClient
  readonly target: Target
  readonly wantsToken: boolean
  /** Whether it may re-enter, unless the call or the multi lock says otherwise. */
  readonly reentrant: boolean
}

/** Whether a call re-enters what its caller holds of it. */
export const mayReenter = ({ reentrant }: Member, request: Request): boolean => request.reentrant ?? reentrant

export interface HeldMember {
  readonly member: Member
  readonly hold: Possession
  readonly entry: LeaseEntry
  /** The same hold if it was acquired for the whole, and not by an enclosing call. */
  readonly own: Hold | undefined
}

/** Calls back when the hold of this member is lost, at once if it is; returns a function that stops that. */
function listenForLoss(
  { hold, entry: { signal } }: HeldMember,
  callback: (error: LockLostError) => void,
): () => void {
  const { loss } = hold
  if (loss) callback(loss)
  return onAbort(signal, () => {
    if (signal.reason instanceof LockLostError) callback(signal.reason)
  })
}

/** A single command for more would keep others waiting at the store for too long. */
const mostAtOnce = 64

/**
 * The members in the order in which everyone acquires them: by the hash slot of the key, then by the key. A caller that waits for a
 * member holds only members before it, so that no circle of waiters can close. Locks of one slot of a Cluster are neighbours.
 * The slot is computed for every store, so that the order does not depend on how a client reaches it.
 *
 * A member that is given twice counts once.
 *
 * @throws `InvalidArgumentError` for members that cannot be held together, or whose order would be open
 */
export function inOrder(members: readonly Member[]): readonly Member[] {
  const byId = new Map<string, Member>()
  for (const member of members) {
    const { id } = member.target.address
    const known = byId.get(id)
    if (known) assertSame(known, member)
    const wantsToken = member.wantsToken || known?.wantsToken === true
    const reentrant = member.reentrant && known?.reentrant !== false
    byId.set(id, { ...member, wantsToken, reentrant })
  }
  return [...byId]
    .map(([id, member]) => ({ id, slot: slotOf(id), member }))
    .sort((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1))
    .map(({ member }) => member)
}

/** The members from this one on that one command can request, or this one alone. */
export function neighboursFrom(members: readonly Member[], start: number): readonly Member[] {
  const rest = members.slice(start, start + mostAtOnce)
  const first = rest[0]
  const end = rest.findIndex((member) => !first || !canJoin(first, member))
  return rest.slice(0, Math.max(1, end === -1 ? rest.length : end))
}

/** With replicas to confirm it, each grant is requested again, by itself. */
const canJoin = (first: Member, { client, target }: Member): boolean =>
  client === first.client &&
  client.steps.acquireMany !== undefined &&
  client.session.confirmer === undefined &&
  first.target.kind === 'lock' &&
  target.kind === 'lock' &&
  target.address.group === first.target.address.group

function assertSame(one: Member, other: Member): void {
  const { name } = one.target.address
  const details = { lockName: name }
  if (one.client !== other.client) {
    throw new InvalidArgumentError(
      `a multi lock cannot contain ${titleOf(one.target)} of two clients: on one store the second would wait for the first, ` +
        'and on two stores equal keys have no order. Use one client per store, and different names or prefixes',
      details,
    )
  }
  if (one.target.kind !== other.target.kind) {
    throw new InvalidArgumentError(
      `a multi lock cannot contain both the read lock and the write lock of ${name}: give the write lock alone, which includes reading`,
      details,
    )
  }
}

interface MemberBody {
  readonly member: Member
  readonly hold: Possession
  readonly body: Body
}

/**
 * One callback as a body in the hold of each member.
 *
 * It joins all of them at once, so that two that want the same holds never wait for each other, each in another one.
 */
export class MemberBodies {
  readonly #bodies: MemberBody[] = []
  readonly #call: CallSite

  constructor(call: CallSite) {
    this.#call = call
  }

  /** Throws `UpgradeError` if two readers would wait for each other to write. */
  join(member: Member, hold: Possession): void {
    if (this.#bodies.some((other) => other.hold === hold)) return
    this.#bodies.push({
      member,
      hold,
      body: joinTurns(member.client.frames, hold, member.target, this.#call),
    })
  }

  get mustWait(): boolean {
    return this.#bodies.some(({ body }) => body.ready !== undefined)
  }

  /**
   * Waits for its turn in all of them.
   *
   * @returns why it did not come
   */
  async untilTurn(request: Request, startedAt: number): Promise<NotAcquired | undefined> {
    for (const { member, hold, body } of this.#bodies) {
      const late = await untilTurn(body, hold, member.target, request, startedAt)
      if (late) return late
    }
    return undefined
  }

  /** Takes those that were entered, with the bodies of holds that were made for the whole, and gives back the others. */
  settle(held: readonly HeldMember[]): void {
    for (const [i, { hold, body }] of [...this.#bodies.entries()].reverse()) {
      if (held.some((other) => other.hold === hold)) continue
      body.end()
      this.#bodies.splice(i, 1)
    }
    for (const { member, hold } of held) this.join(member, hold)
  }

  async run<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    const inside = this.#bodies.reduce<() => T | PromiseLike<T>>(
      (inner, { member, hold, body }) =>
        () =>
          member.client.frames.runInBody(hold, body, inner),
      fn,
    )
    return await inside()
  }

  /** Its caller no longer waits. */
  giveUp(): void {
    for (const { body } of this.#bodies) body.end()
  }

  end(): void {
    for (const { member, hold, body } of this.#bodies) {
      endBody(body, hold, member.target, member.client.events)
    }
  }
}

/** The loss of all locks that were acquired together, because of one of them. */
const memberLost = (target: Target, owner: string, cause: LockLostError): LockLostError =>
  new LockLostError(
    `${titleOf(target)} was lost, and with it the locks that were acquired together with it: ${cause.message}`,
    { lockName: target.address.name, owner, reason: reasonTogether(cause), cause },
  )

/**
 * Several holds as one: held while all of them are.
 *
 * | State | true in it                                                     | leaves it on                    |
 * | ----- | -------------------------------------------------------------- | ------------------------------- |
 * | live  | no member is known to be lost                                  | a member lost → lost; leave →   |
 * |       |                                                                | left                            |
 * | lost  | what was acquired for the whole is lost too, and given back at | leave → left                    |
 * |       | the store; members that an enclosing call holds were left      |                                 |
 * | left  | over                                                           | -                               |
 */
export class MultiHold {
  readonly members: readonly HeldMember[]
  #state: 'live' | 'lost' | 'left' = 'live'
  #loss: LockLostError | undefined
  #onLost: ((error: LockLostError) => void) | undefined
  readonly #stopListening: readonly (() => void)[]

  constructor(members: readonly HeldMember[]) {
    this.members = members
    this.#stopListening = members.map((held) => listenForLoss(held, (error) => this.#lose(held, error)))
  }

  whenLost(callback: (error: LockLostError) => void): void {
    this.#onLost = callback
  }

  /** The loss, once there is one. Looking at the members past their deadlines is how it is learned after a stall. */
  get loss(): LockLostError | undefined {
    // What is noticed here is reported by the lease, and noted in `#lose`.
    if (this.#state === 'live') this.members.some(({ hold }) => hold.loss)
    return this.#loss
  }

  get isHeld(): boolean {
    return this.loss === undefined && this.#state === 'live' && this.members.every(({ hold }) => hold.isHeld)
  }

  /** Until the earliest deadline. */
  remainingMs(): number {
    return this.isHeld ? Math.min(...this.members.map(({ hold }) => hold.remainingMs())) : 0
  }

  /** Leaves all members at once. Rejects with `LockLostError` when the whole was lost before. */
  async leave(): Promise<void> {
    const { loss } = this
    this.#state = 'left'
    for (const stop of this.#stopListening) stop()
    const outcomes = await Promise.allSettled(this.members.map((held) => leaveMember(held)))
    if (loss) throw lossForCaller(loss)
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome] : []))
    const losses = failures.filter(({ reason }) => reason instanceof LockLostError)
    for (const { reason } of [...losses, ...failures]) throw reason
  }

  #lose(lost: HeldMember, error: LockLostError): void {
    if (this.#state !== 'live') return
    this.#state = 'lost'
    this.#loss = memberLost(lost.member.target, lost.hold.owner, error)
    for (const { member, entry, own } of this.members) {
      if (own) own.lose(reasonTogether(error), error)
      else member.client.background.run(entry.unlock())
    }
    this.#onLost?.(this.#loss)
  }
}

async function leaveMember({ member, hold, entry }: HeldMember): Promise<void> {
  try {
    await entry.unlock()
  } catch (error) {
    throw error instanceof LockLostError ? memberLost(member.target, hold.owner, error) : error
  }
}

/**
 * The members that an attempt holds already.
 *
 * While others are waited for, none of these may end: the watchdog renews them if nothing else was wanted, otherwise they are
 * extended here. The lease and the limit that the caller wants begin when all are there.
 */
export class HeldMembers {
  lost: HeldMember | undefined
  readonly #members: readonly Member[]
  readonly #request: Request
  readonly #onLost: (error: LockLostError) => void
  readonly #stopListening: (() => void)[] = []
  #held: HeldMember[] = []
  /** Those whose leases have begun as the caller wants them. */
  readonly #complete = new Set<HeldMember>()
  #interval: NodeJS.Timeout | undefined
  #isExtending = false

  /** @param members - all that the attempt wants */
  constructor(members: readonly Member[], request: Request, onLost: (error: LockLostError) => void) {
    this.#members = members
    this.#request = request
    this.#onLost = onLost
  }

  leaseMs({ settings }: StoreClient): number {
    return Math.min(this.#request.leaseMs ?? settings.watchdogTimeoutMs, this.#request.maxHoldMs)
  }

  /** With which options a member is entered while others are still to come. */
  optionsFor(client: StoreClient, waitMs: number): Request {
    const leaseMs = this.#isRenewed ? null : this.leaseMs(client)
    return { ...this.#request, waitMs, leaseMs, maxHoldMs: Infinity }
  }

  /** @param isComplete - its lease has begun with the options that the caller wants */
  add(held: HeldMember, isComplete: boolean): void {
    this.#held.push(held)
    if (isComplete) this.#complete.add(held)
    else if (held.own && !this.#isRenewed) this.#keep()
    const stop = listenForLoss(held, (error) => {
      this.lost ??= held
      this.#onLost(error)
    })
    this.#stopListening.push(stop)
  }

  /** Has the store confirm all of them, and extends them to the full lease. */
  async prove(timeoutMs: number): Promise<void> {
    const entered = this.#request.leaseMs === null ? [] : this.#held.filter(({ own }) => !own)
    await Promise.all([
      extendTogether(this.#own, (client) => this.leaseMs(client), timeoutMs),
      ...entered.map(({ member, hold }) => hold.extend(this.leaseMs(member.client))),
    ])
  }

  /** Whether all are still held. A loss that is first noticed here is reported, too. */
  areHeld(): boolean {
    return this.#held.every(({ hold }) => hold.loss === undefined)
  }

  /** All members as one, in their order, with what the caller wants from now on. */
  handOut(): MultiHold {
    this.#end()
    const byId = new Map(this.#held.map((held) => [held.member.target.address.id, held]))
    const inOrder = this.#members.flatMap(({ target }) => byId.get(target.address.id) ?? [])
    return new MultiHold(inOrder.map((held) => this.#completed(held)))
  }

  /** Releases all of them in the background. */
  giveBack(): void {
    this.#end()
    for (const { member, entry } of this.#held) member.client.background.run(entry.unlock())
    this.#held = []
  }

  get #isRenewed(): boolean {
    return this.#request.leaseMs === null && this.#request.maxHoldMs === Infinity
  }

  get #own() {
    return this.#held.flatMap(({ member: { client }, own }) => (own ? [{ client, hold: own }] : []))
  }

  #completed(held: HeldMember): HeldMember {
    const { own, entry } = held
    if (!own || this.#isRenewed || this.#complete.has(held)) return held
    return { ...held, entry: own.restart(entry, this.#request) }
  }

  #keptMs(client: StoreClient): number {
    return Math.min(this.leaseMs(client), client.settings.watchdogTimeoutMs)
  }

  #keep(): void {
    const everyMs = Math.min(...this.#members.map(({ client }) => this.#keptMs(client))) / 3
    this.#interval ??= setInterval(() => {
      void this.#extend(everyMs)
    }, everyMs)
    // What is waited for keeps the process alive, not this timer.
    this.#interval.unref()
  }

  async #extend(timeoutMs: number): Promise<void> {
    if (this.#isExtending) return
    this.#isExtending = true
    try {
      await extendTogether(this.#own, (client) => this.#keptMs(client), timeoutMs)
    } catch (error) {
      // A loss is reported by the lease; anything else is tried again.
      this.#members[0]?.client.reports.error(error)
    } finally {
      this.#isExtending = false
    }
  }

  #end(): void {
    clearInterval(this.#interval)
    for (const stop of this.#stopListening) stop()
  }
}

interface Extendable {
  extension(wantedMs: number): Pick<Extension, 'renewal' | 'settle'>
}

/** A hold that was made for the whole, and the client that keeps it. */
export interface OwnHold {
  readonly client: StoreClient
  readonly hold: Hold
}

/**
 * Proves that the holds live and extends them, with one command for each group of each client.
 *
 * @param wantedMs - to at least how long
 * @throws `LockLostError` when one of them is lost, `UnavailableError` when no reply came
 */
async function extendTogether(
  holds: readonly OwnHold[],
  wantedMs: (client: StoreClient) => number,
  timeoutMs: number,
): Promise<void> {
  const groups = new Map<StoreClient, Map<string, Hold[]>>()
  for (const { client, hold } of holds) {
    const ofClient = groups.get(client) ?? new Map<string, Hold[]>()
    groups.set(client, ofClient)
    ofClient.set(hold.group, [...(ofClient.get(hold.group) ?? []), hold])
  }
  const calls = [...groups].flatMap(([client, ofClient]) =>
    [...ofClient.values()].map((group) => {
      const { steps, settings } = client
      const limitMs = Math.max(1, Math.ceil(Math.min(timeoutMs, settings.commandTimeoutMs)))
      return extendGroup(steps, group, wantedMs(client), limitMs)
    }),
  )
  await Promise.all(calls)
}

/** The same for holds of one group. What came of one of them changes nothing for the others. */
export async function extendGroup(
  steps: Pick<LockSteps, 'renew'>,
  holds: readonly Extendable[],
  wantedMs: number,
  limitMs: number,
): Promise<void> {
  const extensions = holds.map((hold) => hold.extension(wantedMs))
  const replies = await steps.renew(
    extensions.map(({ renewal }) => renewal),
    limitMs,
  )
  const errors = extensions.flatMap((extension, i) => {
    try {
      extension.settle(replies[i])
      return []
    } catch (error) {
      return [error]
    }
  })
  // A loss weighs more than a reply that did not come.
  if (errors.length > 0) throw errors.find((error) => error instanceof LockLostError) ?? errors[0]
}
