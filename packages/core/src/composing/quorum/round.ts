import type { Vote } from './vote.js'
import type { Votes } from './votes.js'

/**
 * What the replies of one round amount to, so far.
 *
 * - `won`: a majority said yes, among them the gate
 * - `too-few`: all have replied that will, and they are no majority
 * - `behind`: there is no majority without this master, which is busy
 * - `again`: nothing is under way any more, and a part of it was given up
 * - `open`: replies to come may decide
 */
export type Round =
  | { readonly kind: 'won' | 'too-few' | 'again' | 'open' }
  | { readonly kind: 'behind'; readonly busy: Vote; readonly isGate: boolean }

/** @param isPatienceOver - masters that have not replied are passed over, if those that have are enough */
export function roundOf(votes: Votes, isPatienceOver: boolean): Round {
  const gate = gateOf(votes, isPatienceOver)
  if (gate?.state === 'yes' && votes.isMajority) return { kind: 'won' }
  const requested = votes.in('requested').length
  const replied = votes.given.length + votes.in('busy').length
  const isComplete = requested === 0 && votes.in('none').length === 0
  if (isComplete && replied < votes.quorum) return { kind: 'too-few' }
  const [busy] = votes.in('busy')
  if (busy && isInTheWay(busy, gate, votes, isPatienceOver))
    return { kind: 'behind', busy, isGate: busy === gate }
  return { kind: requested === 0 ? 'again' : 'open' }
}

/** The first master that replies, once it is known which one that is. */
const gateOf = (votes: Votes, isPatienceOver: boolean): Vote | undefined =>
  votes.all.find(
    ({ state }) => state === 'yes' || state === 'busy' || (state === 'requested' && !isPatienceOver),
  )

/** Whether there is no majority without this master, the first that is busy. */
function isInTheWay(busy: Vote, gate: Vote | undefined, votes: Votes, isPatienceOver: boolean): boolean {
  if (busy === gate) return true
  const requested = votes.in('requested').length
  const replied = votes.given.length + votes.in('busy').length
  if (replied < votes.quorum && requested > 0) return false
  const isUndecided = votes.before(busy).some(({ state }) => state === 'requested')
  const mayStillWin = votes.given.length + requested >= votes.quorum
  return isPatienceOver || (!isUndecided && !mayStillWin)
}
