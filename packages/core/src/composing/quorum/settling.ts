import { monotonicMs } from '../../util/clock.js'
import { majorityOf } from './majority.js'
import { isShort } from './vote-lease.js'
import type { Ballot } from './ballot.js'

/**
 * Makes a majority fit to be handed out: raises the largest token of its masters there, and extends votes that were kept
 * during a wait. Returns the token at once if there is nothing to do, 0 without one.
 */
export function settleVotes(
  ballot: Ballot,
  wantsToken: boolean,
  leaseMs: number | null,
): number | Promise<number> {
  const mustExtend = leaseMs !== null && isShort(ballot.deadlineAt - monotonicMs(), leaseMs)
  if (!wantsToken && !mustExtend) return 0
  return settle(ballot, wantsToken, mustExtend ? leaseMs : null)
}

async function settle(ballot: Ballot, wantsToken: boolean, extendByMs: number | null): Promise<number> {
  const extending = extendByMs === null ? undefined : extendVotes(ballot, extendByMs)
  const [token] = await Promise.all([wantsToken ? raiseToken(ballot) : 0, extending])
  return token
}

/**
 * The fencing token of a majority: the largest that its masters drew, and from now on the least that a majority has seen.
 * Every later majority shares a master with that one, and so draws a larger one. The master that drew it is asked, too: it
 * may have lost it since.
 */
export async function raiseToken(ballot: Ballot): Promise<number> {
  const token = ballot.largestToken
  const raised = ballot.given.map((vote) => vote.raiseToken(token))
  await majorityOf(raised, ballot.quorum)
  return token
}

/** Extends the leases of a majority. */
export async function extendVotes(ballot: Ballot, leaseMs: number): Promise<void> {
  const extended = ballot.given.map(({ hold }) => hold?.extend(leaseMs) ?? Promise.resolve())
  await majorityOf(extended, ballot.quorum)
}
