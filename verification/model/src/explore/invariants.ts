import type { Problem } from './problem.js'
import { at, nameOf, type Owner, type Phase, type State } from './state.js'

/** Checks a state as an observer would who sees the owners and the store at once. */
export function problemsOf({ owners, store, size }: State): Problem[] {
  const found: Problem[] = []
  const claimants = owners.flatMap((owner, i) => (owner.phase === 'holding' && !owner.isEvicted ? [i] : []))
  // Of a lock one for all that it has entered.
  const claimed = claimants.map((i) => at(owners, i)).map(({ count, want }) => Math.min(count, want))
  if (claimed.reduce((sum, permits) => sum + permits, 0) > size) {
    found.push({
      promise: 'exclusion',
      detail: `${claimants.map(nameOf).join(' and ')} believe they hold`,
    })
  }
  owners.forEach((owner, i) => {
    const count = at(store.counts, i)
    const isClaimed = claimants.includes(i)
    if (isClaimed && count === 0) {
      found.push({
        promise: 'exclusion',
        detail: `${nameOf(i)} believes it holds, the store says otherwise`,
      })
    }
    const isSettled = isClaimed && isIdle(owner) && !owner.isOvertaken
    if (isSettled && count > 0 && count !== owner.count) {
      found.push({
        promise: 'count',
        detail: `the store counts ${count} for ${nameOf(i)}, which counts ${owner.count}`,
      })
    }
    const hasTraces = count > 0 || at(store.entries, i) === 'live'
    if (owner.phase === 'over' && isIdle(owner) && owner.inbox.length === 0 && hasTraces) {
      const trace = count > 0 ? 'a hold' : 'a live queue entry'
      found.push({ promise: 'leftover', detail: `${nameOf(i)} is done and left ${trace}` })
    }
  })
  return found
}

const restingPhases: readonly Phase[] = ['idle', 'over', 'crashed', 'unwritten', 'written']

/** Nothing is in flight, and the store keeps nothing but the last token. */
export const isQuiet = ({ owners, store }: State): boolean =>
  store.counts.every((count) => count === 0) &&
  store.queue.length === 0 &&
  store.entries.every((entry) => entry === '-') &&
  owners.every((owner) => restingPhases.includes(owner.phase) && isIdle(owner) && owner.inbox.length === 0)

const isIdle = ({ command, wire, strays }: Owner): boolean =>
  command === null && wire.length === 0 && strays.length === 0
