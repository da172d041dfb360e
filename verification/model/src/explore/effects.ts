import type { Job, Outcome } from './job.js'
import { isServable, newHolders } from './after.js'
import type { Problem } from './problem.js'
import {
  at,
  isLeaving,
  isTicket,
  nameOf,
  replaced,
  roomOf,
  type Notice,
  type Owner,
  type Reply,
  type State,
} from './state.js'

export interface Ran {
  readonly state: State
  readonly reply: Reply
  readonly problems: readonly Problem[]
}

/** The state after a step ran, its notifications on their way. */
export function applied(state: State, owner: number, step: Job['step'], outcome: Outcome): Ran {
  const { store, reply, notices } = outcome
  const next = newHolders(state.store, store)
  const owners = state.owners.map((each, i) => {
    const inbox =
      each.phase === 'crashed' || !each.isSubscribed ? each.inbox : [...each.inbox, ...of(notices, i)]
    const isEvicted = each.isEvicted && !next.includes(i)
    return inbox === each.inbox && isEvicted === each.isEvicted ? each : { ...each, inbox, isEvicted }
  })
  const stayed = state.arrivals.filter((each) => store.queue.includes(each))
  const arrivals = [...stayed, ...store.queue.filter((each) => !stayed.includes(each))]
  const withdrawn = isLeaving(step) ? owner : null
  const requester = step === 'request' || step === 'try' ? owner : null
  const after = { ...state, store }
  // The lock is not free until it is taken over.
  const inTurn = step === 'take over' ? [] : next.filter((each) => !isTicket(at(owners, each)))
  const overtakings = inTurn.flatMap((each) => overtaken(after, each, withdrawn, requester))
  return { state: { ...after, owners, arrivals }, reply, problems: [...outcome.problems, ...overtakings] }
}

const of = (notices: Outcome['notices'], owner: number): readonly Notice[] =>
  notices.filter(({ to }) => to === owner).map(({ kind }) => kind)

/** Waiters that queued before the new holder and count, whether they fit or not, except one that just gave up. */
function overtaken(
  { arrivals, store, owners, size }: State,
  holder: number,
  withdrawn: number | null,
  requester: number | null,
): Problem[] {
  // The reply to its request reaches an owner without a subscription.
  const subscribed = owners.map(({ isSubscribed }, i) => isSubscribed || i === requester)
  const room = roomOf(store, size)
  const rank = arrivals.indexOf(holder)
  const ahead = rank === -1 ? arrivals : arrivals.slice(0, rank)
  return ahead
    .filter((each) => each !== withdrawn && at(owners, each).want <= room)
    .filter((each) => isServable(store, subscribed, each))
    .map((each) => ({ promise: 'order', detail: `${nameOf(holder)} overtakes ${nameOf(each)}` }))
}

/** Where a move leads that ran a step and changed the owner. */
export const withRan = (
  { state, problems }: Ran,
  owner: number,
  change: Partial<Owner>,
): [next: State, problems: readonly Problem[]] => [
  { ...state, owners: replaced(state.owners, owner, { ...at(state.owners, owner), ...change }) },
  problems,
]
