import type { Request } from '../options.js'
import type { NotAcquired } from '../waiting/outcome.js'
import type { Member, MemberLease } from './member.js'
import { MultiAttempt } from './multi-attempt.js'
import type { MultiHold } from './multi-hold.js'

/**
 * Acquires all members or none.
 *
 * A member that is lost while others are waited for takes the whole attempt along, and everything begins again. A call that
 * does not wait ends instead.
 *
 * @param members - in the order of `inOrder`
 * @param startedAt - since when the caller waits
 */
export async function acquireTogether<L extends MemberLease>(
  members: readonly Member<L>[],
  request: Request,
  startedAt: number,
): Promise<MultiHold<L> | NotAcquired> {
  for (;;) {
    request.signal?.throwIfAborted()
    const outcome = await new MultiAttempt(members, request, startedAt).run()
    if (outcome.kind === 'acquired') return outcome.hold
    if (outcome.kind === 'not-acquired') return outcome
    if (request.waitMs === 0) return outcome.lost
  }
}
