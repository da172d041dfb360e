import type { Job, Outcome } from './job.js'
import { isServable, newHolders } from './judge.js'
import type { Problem } from './problem.js'
import { at, nameOf, replaced, type Notice, type Owner, type Reply, type State } from './state.js'

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
  const withdrawn = step === 'release' || step === 'abandon' ? owner : null
  const problems = [...outcome.problems, ...next.flatMap((each) => overtaken(state, each, withdrawn))]
  return { state: { ...state, store, owners, arrivals }, reply, problems }
}

const of = (notices: Outcome['notices'], owner: number): readonly Notice[] =>
  notices.filter(({ to }) => to === owner).map(({ kind }) => kind)

/** Waiters that queued before the new holder and could have been served, except one that just gave up. */
function overtaken({ arrivals, store, owners }: State, holder: number, withdrawn: number | null): Problem[] {
  const subscribed = owners.map(({ isSubscribed }) => isSubscribed)
  const rank = arrivals.indexOf(holder)
  const ahead = rank === -1 ? arrivals : arrivals.slice(0, rank)
  return ahead
    .filter((each) => each !== withdrawn && isServable(store, subscribed, each))
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
