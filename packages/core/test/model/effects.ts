import type { Job, Outcome } from './job.js'
import { isServable, newHolders } from './judge.js'
import type { Problem } from './problem.js'
import { at, nameOf, replaced, type Message, type Owner, type Reply, type State } from './state.js'

export interface Ran {
  readonly state: State
  readonly reply: Reply
  readonly problems: readonly Problem[]
}

/** The state after a script ran, its messages on their way. */
export function applied(state: State, owner: number, order: Job['order'], outcome: Outcome): Ran {
  const { server, reply, messages } = outcome
  const next = newHolders(state.server, server)
  const owners = state.owners.map((each, i) => {
    const inbox = each.phase === 'crashed' || !each.isHeard ? each.inbox : [...each.inbox, ...of(messages, i)]
    const isEvicted = each.isEvicted && !next.includes(i)
    return inbox === each.inbox && isEvicted === each.isEvicted ? each : { ...each, inbox, isEvicted }
  })
  const stayed = state.arrivals.filter((each) => server.queue.includes(each))
  const arrivals = [...stayed, ...server.queue.filter((each) => !stayed.includes(each))]
  const withdrawn = order === 'free' || order === 'mark' ? owner : null
  const problems = [...outcome.problems, ...next.flatMap((each) => overtaken(state, each, withdrawn))]
  return { state: { ...state, server, owners, arrivals }, reply, problems }
}

const of = (messages: Outcome['messages'], owner: number): readonly Message[] =>
  messages.filter(({ to }) => to === owner).map(({ message }) => message)

/** Those who were queued earlier than the new holder and could have been served, but for one who just gave its place up. */
function overtaken({ arrivals, server, owners }: State, holder: number, withdrawn: number | null): Problem[] {
  const heard = owners.map(({ isHeard }) => isHeard)
  const rank = arrivals.indexOf(holder)
  const ahead = rank === -1 ? arrivals : arrivals.slice(0, rank)
  return ahead
    .filter((each) => each !== withdrawn && isServable(server, heard, each))
    .map((each) => ({ promise: 'order', detail: `${nameOf(holder)} overtakes ${nameOf(each)}` }))
}

/** What a move leads to that ran a script and changed the owner. */
export const withRan = (
  { state, problems }: Ran,
  owner: number,
  change: Partial<Owner>,
): [next: State, problems: readonly Problem[]] => [
  { ...state, owners: replaced(state.owners, owner, { ...at(state.owners, owner), ...change }) },
  problems,
]
