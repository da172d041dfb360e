import { mayReenter } from '../composing/member.js'
import type { Member } from '../composing/member.js'
import type { Request } from '../options/options.js'
import type { ScopedLease } from '../ownership/possession.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/with-timeout.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { limitOf } from '../waiting/re-entering.js'
import { notReachedTurn } from './entrance.js'
import type { Lease } from './lease.js'
import type { MultiLease } from './multi-lease.js'

/**
 * Acquires, after earlier calls on the same locks in the scopes around the caller, and keeps the lease for `unlock()` there.
 * It joins all their queues at once: so calls in one scope never wait for each other in a circle.
 *
 * @param id - of the multi lock
 */
export async function acquireInScopes(
  members: readonly Member<Lease>[],
  id: string,
  request: Request,
  acquire: (startedAt: number) => Promise<MultiLease | NotAcquired>,
): Promise<MultiLease | NotAcquired> {
  const startedAt = monotonicMs()
  const places = members.flatMap((member) => {
    const { client, target } = member
    const scope = client.frames.nearestScope()
    if (!scope) return []
    // One that must not re-enter may wait for what the scope holds: the scope's `unlock()` must not wait behind it.
    const slot = mayReenter(member, request) ? scope.nextSlot(target.address) : undefined
    return [{ scope, client, target, slot }]
  })
  try {
    for (const { client, target, slot } of places) {
      const limitMs = limitOf(request, client.settings)
      const leftMs = Math.max(0, startedAt + limitMs - monotonicMs())
      if (!slot?.ready || (await withTimeout(slot.ready, leftMs, request.signal)) !== timedOut) continue
      return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
    }
    const outcome = await acquire(startedAt)
    if ('kind' in outcome) return outcome
    for (const { scope, target } of places) {
      const held = outcome.members.find(({ member }) => member.target.address === target.address)
      if (held) scope.keep(held.hold, partOf(outcome, held.lease, id))
    }
    return outcome
  } finally {
    for (const { slot } of places) slot?.done()
  }
}

/** What a scope keeps for one of the locks: to leave it is to leave all. */
const partOf = (whole: MultiLease, { name, kind, owner }: Lease, multiLock: string): ScopedLease => ({
  name,
  kind,
  owner,
  multiLock,
  get isLeft() {
    return whole.isLeft
  },
  unlock: () => whole.unlock(),
})
