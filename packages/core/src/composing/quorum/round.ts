import type { Vote } from './vote.js'
import type { Ballot } from './ballot.js'

/**
 * What the replies of one round amount to, so far.
 *
 * - `won`: a majority said yes, among them the queue master
 * - `unchecked`: the same, but it is not known of all masters yet whether two are one server
 * - `too-few`: all have replied that will, and they are no majority
 * - `behind`: there is no majority without this master, which is busy
 * - `again`: nothing is under way any more, and a part of it was given up
 * - `open`: replies to come may decide
 */
export type Round =
  | { readonly kind: 'won' | 'unchecked' | 'too-few' | 'again' | 'open' }
  | { readonly kind: 'behind'; readonly busy: Vote; readonly isQueueMaster: boolean }

/** @param isPatienceOver - masters that have not replied are passed over, if those that have are enough */
export function roundOf(ballot: Ballot, isPatienceOver: boolean): Round {
  const queueMaster = queueMasterOf(ballot, isPatienceOver)
  if (queueMaster?.state === 'yes' && ballot.isMajority)
    return { kind: ballot.areChecked ? 'won' : 'unchecked' }
  const requested = ballot.in('requested').length
  const replied = ballot.given.length + ballot.in('busy').length
  const isComplete = requested === 0 && ballot.in('none').length === 0
  if (isComplete && replied < ballot.quorum) return { kind: 'too-few' }
  const [busy] = ballot.in('busy')
  if (busy && isInTheWay(busy, queueMaster, ballot, isPatienceOver))
    return { kind: 'behind', busy, isQueueMaster: busy === queueMaster }
  return { kind: requested === 0 ? 'again' : 'open' }
}

/** The first master that replies, once it is known which one that is. */
const queueMasterOf = (ballot: Ballot, isPatienceOver: boolean): Vote | undefined =>
  ballot.all.find(
    ({ state }) => state === 'yes' || state === 'busy' || (state === 'requested' && !isPatienceOver),
  )

/** Whether there is no majority without this master, the first that is busy. */
function isInTheWay(
  busy: Vote,
  queueMaster: Vote | undefined,
  ballot: Ballot,
  isPatienceOver: boolean,
): boolean {
  if (busy === queueMaster) return true
  const requested = ballot.in('requested').length
  const replied = ballot.given.length + ballot.in('busy').length
  if (replied < ballot.quorum && requested > 0) return false
  const isUndecided = ballot.before(busy).some(({ state }) => state === 'requested')
  const mayStillWin = ballot.given.length + requested >= ballot.quorum
  return isPatienceOver || (!isUndecided && !mayStillWin)
}
