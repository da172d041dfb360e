import calculateSlot from 'cluster-key-slot'
import { InvalidArgumentError } from '../errors/errors.js'
import { titleOf } from '../ownership/target.js'
import type { Member, MemberLease } from './member.js'

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
export function inOrder<L extends MemberLease>(members: readonly Member<L>[]): readonly Member<L>[] {
  const byId = new Map<string, Member<L>>()
  for (const member of members) {
    const { id } = member.target.address
    const known = byId.get(id)
    if (known) assertSame(known, member)
    const wantsToken = member.wantsToken || known?.wantsToken === true
    const reentrant = member.reentrant && known?.reentrant !== false
    byId.set(id, { ...member, wantsToken, reentrant })
  }
  return [...byId]
    .map(([id, member]) => ({ id, slot: calculateSlot(id), member }))
    .sort((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1))
    .map(({ member }) => member)
}

/** The members from this one on that one command can request, or this one alone. */
export function neighboursFrom<L extends MemberLease>(
  members: readonly Member<L>[],
  start: number,
): readonly Member<L>[] {
  const rest = members.slice(start, start + mostAtOnce)
  const first = rest[0]
  const end = rest.findIndex((member) => !first || !canJoin(first, member))
  return rest.slice(0, Math.max(1, end === -1 ? rest.length : end))
}

/** With replicas to confirm it, each grant is requested again, by itself. */
const canJoin = <L extends MemberLease>(first: Member<L>, { client, target }: Member<L>): boolean =>
  client === first.client &&
  client.steps.acquireMany !== undefined &&
  client.acquirer.deps.confirmer === undefined &&
  first.target.kind === 'lock' &&
  target.kind === 'lock' &&
  target.address.group === first.target.address.group

function assertSame<L extends MemberLease>(one: Member<L>, other: Member<L>): void {
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
