import type { TracedAcquisition } from '../channels/channels.js'
import type { Request } from '../options/options.js'
import type { NotAcquired } from '../waiting/outcome.js'
import type { Member, MemberLease } from './member.js'
import type { MemberBodies } from './member-bodies.js'
import { MultiAttempt } from './multi-attempt.js'
import type { AcquiredTogether } from './multi-attempt.js'

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
