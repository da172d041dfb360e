import type { Problem } from './problem.js'
import { at, nameOf, type Owner, type State } from './state.js'

/** Checks a state as an onlooker who sees owners and Redis at once. */
export function problemsOf({ owners, server }: State): Problem[] {
  const found: Problem[] = []
  const claimants = owners.flatMap((owner, i) => (owner.phase === 'holding' && !owner.isEvicted ? [i] : []))
  if (claimants.length > 1) {
    found.push({ promise: 'exclusion', detail: `${claimants.map(nameOf).join(' and ')} believe to hold` })
  }
  owners.forEach((owner, i) => {
    const count = at(server.counts, i)
    const isClaimed = claimants.includes(i)
    if (isClaimed && count === 0) {
      found.push({ promise: 'exclusion', detail: `${nameOf(i)} believes to hold, Redis does not know of it` })
    }
    const isSettled = isClaimed && isIdle(owner) && !owner.isOvertaken
    if (isSettled && count > 0 && count !== owner.count) {
      found.push({
        promise: 'count',
        detail: `Redis counts ${count} for ${nameOf(i)}, who has ${owner.count}`,
      })
    }
    const hasTraces = count > 0 || at(server.entries, i) === 'live'
    if (owner.phase === 'over' && isIdle(owner) && owner.inbox.length === 0 && hasTraces) {
      const trace = count > 0 ? 'a hold' : 'a live place'
      found.push({ promise: 'leftover', detail: `${nameOf(i)} is done and left ${trace}` })
    }
  })
  return found
}

/** Nothing is in flight and nothing is left but the fence. */
export const isQuiet = ({ owners, server }: State): boolean =>
  server.counts.every((count) => count === 0) &&
  server.queue.length === 0 &&
  server.entries.every((entry) => entry === '-') &&
  owners.every(
    (owner) => ['idle', 'over', 'crashed'].includes(owner.phase) && isIdle(owner) && owner.inbox.length === 0,
  )

const isIdle = ({ command, wire, strays }: Owner): boolean =>
  command === null && wire.length === 0 && strays.length === 0
