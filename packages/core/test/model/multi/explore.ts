import { multiMovesOf } from './moves.js'
import { heldBy, queuedBy } from './state.js'
import type { MultiState } from './state.js'

export interface MultiExploration {
  readonly states: number
  /** What is wrong, with one of the shortest ways there. */
  readonly problem: { readonly what: string; readonly trace: readonly string[] } | null
}

interface Visit {
  readonly state: MultiState
  readonly trace: readonly string[]
  readonly from: Set<string>
}

/** Visits every state. From each one all callers must be able to get out: none is stuck, whatever happened before. */
export function exploreMulti(start: MultiState): MultiExploration {
  const visits = new Map<string, Visit>([[keyOf(start), { state: start, trace: [], from: new Set() }]])
  // A map is walked in the order of insertion, and what is added on the way is visited too.
  for (const [key, { state, trace }] of visits) {
    const what = wrongIn(state)
    if (what !== null) return { states: visits.size, problem: { what, trace } }
    for (const { label, next } of multiMovesOf(state)) {
      const known = visits.get(keyOf(next))
      if (known) known.from.add(key)
      else visits.set(keyOf(next), { state: next, trace: [...trace, label], from: new Set([key]) })
    }
  }
  const ending = endingIn(visits)
  const stuck = [...visits].find(([key]) => !ending.has(key))?.[1]
  const problem = stuck ? { what: 'callers are stuck', trace: stuck.trace } : null
  return { states: visits.size, problem }
}

function wrongIn(state: MultiState): string | null {
  for (const [n, { phase, wants, hasLost }] of state.callers.entries()) {
    const held = heldBy(state, n)
    const queued = queuedBy(state, n)
    if (phase === 'inside' && !hasLost && held.length < wants.length)
      return `${n} is inside without all members`
    if (phase === 'done' && held.length + queued.length > 0) return `${n} left something behind`
    if (queued.length > 1) return `${n} is in two queues`
    if (phase !== 'waiting' && queued.length > 0) return `${n} is in a queue, and does not wait`
  }
  return null
}

/** The states from which all callers can still be done. */
function endingIn(visits: ReadonlyMap<string, Visit>): Set<string> {
  const isOver = ({ state }: Visit): boolean => state.callers.every(({ phase }) => phase === 'done')
  const ending = new Set([...visits].flatMap(([key, visit]) => (isOver(visit) ? [key] : [])))
  for (const key of ending) for (const before of visits.get(key)?.from ?? []) ending.add(before)
  return ending
}

const keyOf = (state: MultiState): string => JSON.stringify(state)
