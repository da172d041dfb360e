import { titleOf, type Target } from '../engine/requests.js'
import { InvalidArgumentError, LockLostError } from '../errors/errors.js'
import type { Hold } from '../holding/hold.js'
import { reasonTogether } from '../holding/loss.js'
import { endBody, joinTurns, untilTurn } from '../objects/entrance.js'
import type { Request } from '../options/options.js'
import type { CallSite } from '../ownership/call-site.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import type { Body } from '../ownership/turns.js'
import type { StoreClient } from '../store-client.js'
import { slotOf } from '../util/slots.js'
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
export function listenForLoss(
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
export const memberLost = (target: Target, owner: string, cause: LockLostError): LockLostError =>
  new LockLostError(
    `${titleOf(target)} was lost, and with it the locks that were acquired together with it: ${cause.message}`,
    { lockName: target.address.name, owner, reason: reasonTogether(cause), cause },
  )
