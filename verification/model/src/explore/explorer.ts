import { isQuiet, problemsOf } from './invariants.js'
import { keyOfJob, type Job, type Outcome } from './job.js'
import type { Move } from './move.js'
import { movesOf } from './moves.js'
import type { Problem } from './problem.js'
import { at, initialState, keyOf, type Bounds, type State } from './state.js'
import type { Trials } from './trials.js'

type Runner = Pick<Trials, 'runs' | 'find' | 'run'>

export interface Violation extends Problem {
  /** One of the shortest ways there. */
  readonly trace: readonly string[]
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  readonly runs: number
  readonly violation: Violation | null
}

/**
 * Visits every state that can be reached within the bounds, breadth first, so that the first violation that shows has a
 * shortest trace. The steps of one depth are run together.
 */
export async function exploreTrials(trials: Runner, bounds: Bounds): Promise<Exploration> {
  const graph = new Graph()
  const start = initialState(bounds)
  graph.add(start)
  let frontier: Numbered<State> = [[0, start]]
  let found: Problem | null = null
  let foundAt: readonly string[] = []
  while (frontier.length > 0 && !found) {
    const next: (readonly [number, State])[] = []
    for (const [id, moves] of await allMoves(trials, frontier)) {
      for (const move of moves) {
        const added = graph.connect(id, move)
        if (added !== null) next.push([added, move.next])
        const [problem] = [...move.problems, ...(added === null ? [] : problemsOf(move.next))]
        if (!problem) continue
        found = problem
        foundAt = [...graph.traceTo(id), move.label]
        break
      }
      if (found) break
    }
    frontier = next
  }
  const stuck = found ? null : graph.firstStuck()
  if (stuck !== null) {
    found = { promise: 'quiet', detail: 'from here it never becomes quiet' }
    foundAt = graph.traceTo(stuck)
  }
  return {
    states: graph.states,
    transitions: graph.transitions,
    runs: trials.runs,
    violation: found && { ...found, trace: foundAt },
  }
}

type Numbered<T> = readonly (readonly [number, T])[]

async function allMoves(trials: Runner, states: Numbered<State>): Promise<Numbered<readonly Move[]>> {
  const missing = new Map<string, Job>()
  const look = (job: Job): Outcome | undefined => {
    const known = trials.find(job)
    if (!known) missing.set(keyOfJob(job), job)
    return known
  }
  const moves = states.map(([id, state]) => [id, state, movesOf(state, look)] as const)
  await trials.run([...missing.values()])
  return moves.map(([id, state, known]) => [id, known ?? movesOf(state, look) ?? []] as const)
}

/** States by number, with the way they were first reached. */
class Graph {
  readonly #ids = new Map<string, number>()
  readonly #from: number[] = []
  readonly #labels: string[] = []
  readonly #quiet: number[] = []
  /** The ends of the moves that are progress: from, to, from, to, … */
  readonly #progress: number[] = []
  transitions = 0

  get states(): number {
    return this.#ids.size
  }

  /** The number of a state that was not known. */
  add(state: State, from = -1, label = '', key = keyOf(state)): number {
    const id = this.#ids.size
    this.#ids.set(key, id)
    this.#from.push(from)
    this.#labels.push(label)
    if (isQuiet(state)) this.#quiet.push(id)
    return id
  }

  /** Adds a move, and its end when that is new. Returns the number of a new end. */
  connect(from: number, { kind, label, next }: Move): number | null {
    this.transitions++
    const key = keyOf(next)
    const known = this.#ids.get(key)
    const to = known ?? this.add(next, from, label, key)
    if (kind === 'progress' && to !== from) this.#progress.push(from, to)
    return known === undefined ? to : null
  }

  traceTo(id: number): string[] {
    const trace: string[] = []
    for (let each = id; each > 0; each = at(this.#from, each)) trace.push(at(this.#labels, each))
    return trace.reverse()
  }

  /**
   * The first state from which progress never leads to quiet. If there is none, every fair run, in which what stays
   * possible happens in the end, becomes quiet.
   */
  firstStuck(): number | null {
    const reaches = new Uint8Array(this.states)
    for (const id of this.#quiet) reaches[id] = 1
    for (let changed = true; changed;) {
      changed = false
      // Most moves lead to a higher number, so going backwards settles nearly all in one pass.
      for (let i = this.#progress.length - 2; i >= 0; i -= 2) {
        const from = at(this.#progress, i)
        if (reaches[from] === 1 || reaches[at(this.#progress, i + 1)] !== 1) continue
        reaches[from] = 1
        changed = true
      }
    }
    const stuck = reaches.indexOf(0)
    return stuck === -1 ? null : stuck
  }
}
