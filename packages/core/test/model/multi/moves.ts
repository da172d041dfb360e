import { heldBy, memberOf, queuedBy, withCaller, withMember } from './state.js'
import type { Caller, MultiState } from './state.js'

export interface MultiMove {
  readonly label: string
  readonly next: MultiState
}

/** Everything that can happen next. */
export function multiMovesOf(state: MultiState): MultiMove[] {
  return state.callers.flatMap((caller, n) => [
    ...stepsOf(state, caller, n),
    ...abortsOf(state, caller, n),
    ...lossesOf(state, n),
  ])
}

function stepsOf(state: MultiState, caller: Caller, n: number): MultiMove[] {
  const { phase, hasLost } = caller
  const move = (label: string, next: MultiState): MultiMove => ({ label: `${n} ${label}`, next })
  const isActive = phase === 'requesting' || phase === 'queueing' || phase === 'waiting'
  const moves: MultiMove[] = []
  // It is notified by its deadline at the latest; until then it goes on.
  if (hasLost && isActive) moves.push(move('begins again', restarted(state, n)))
  switch (phase) {
    case 'requesting':
      moves.push(...requests(state, caller, n).map(([label, next]) => move(label, next)))
      break
    case 'queueing': {
      const name = nextOf(state, caller, n)
      const { holder, queue } = memberOf(state, name)
      const isFree = holder === null && queue.length === 0
      moves.push(
        isFree
          ? move(`enters ${name}`, entered(withMember(state, name, { holder: n }), n))
          : move(
              `queues for ${name}`,
              withCaller(withMember(state, name, { queue: [...queue, n] }), n, { phase: 'waiting' }),
            ),
      )
      break
    }
    case 'inside':
      moves.push(move('leaves', withCaller(state, n, { phase: 'leaving' })))
      break
    case 'restarting':
    case 'leaving':
      moves.push(...releases(state, caller, n).map(([label, next]) => move(label, next)))
      break
    case 'waiting':
    case 'done':
  }
  return moves
}

/** By one command for all that are left, or for the next one alone. */
function requests(state: MultiState, caller: Caller, n: number): [string, MultiState][] {
  const missing = missingOf(state, caller, n)
  return [missing, missing.slice(0, 1)].map((names) => {
    const busyAt = names.findIndex((name) => {
      const { holder, queue } = memberOf(state, name)
      return holder !== null || queue.length > 0
    })
    const free = busyAt === -1 ? names : names.slice(0, busyAt)
    const after = free.reduce((next, name) => withMember(next, name, { holder: n }), state)
    return [
      `requests ${names.join(' ')}`,
      busyAt === -1 ? entered(after, n) : withCaller(after, n, { phase: 'queueing' }),
    ]
  })
}

/** Inside only if a last command shows that all are held. */
function entered(state: MultiState, n: number): MultiState {
  const caller = state.callers[n]
  if (!caller) return state
  const isWhole = missingOf(state, caller, n).length === 0
  if (!isWhole || caller.hasLost) return withCaller(state, n, { phase: 'requesting' })
  return withCaller(state, n, { phase: 'inside' })
}

function releases(state: MultiState, { phase }: Caller, n: number): [string, MultiState][] {
  const held = heldBy(state, n)
  const over = phase === 'leaving' ? 'done' : 'requesting'
  if (held.length === 0) return [['is out', withCaller(state, n, { phase: over, hasLost: false })]]
  return held.map((name) => [`releases ${name}`, freed(state, name)])
}

/** The first waiter enters in the same step. */
function freed(state: MultiState, name: string): MultiState {
  const [first, ...queue] = memberOf(state, name).queue
  if (first === undefined) return withMember(state, name, { holder: null })
  return entered(withMember(state, name, { holder: first, queue }), first)
}

function abortsOf(state: MultiState, { phase }: Caller, n: number): MultiMove[] {
  if (state.aborts === 0 || (phase !== 'requesting' && phase !== 'queueing' && phase !== 'waiting')) return []
  const next = withCaller(unqueued(state, n), n, { phase: 'leaving' })
  return [{ label: `${n} is aborted`, next: { ...next, aborts: state.aborts - 1 } }]
}

/** The lease of one hold ends at the store. */
function lossesOf(state: MultiState, n: number): MultiMove[] {
  if (state.losses === 0) return []
  return heldBy(state, n).map((name) => {
    const next = withCaller(freed(state, name), n, { hasLost: true })
    return { label: `${n} loses ${name}`, next: { ...next, losses: state.losses - 1 } }
  })
}

const restarted = (state: MultiState, n: number): MultiState =>
  withCaller(unqueued(state, n), n, { phase: 'restarting' })

const unqueued = (state: MultiState, n: number): MultiState =>
  queuedBy(state, n).reduce((next, name) => {
    const queue = memberOf(next, name).queue.filter((other) => other !== n)
    return withMember(next, name, { queue })
  }, state)

const missingOf = (state: MultiState, { wants }: Caller, n: number): string[] =>
  wants.filter((name) => memberOf(state, name).holder !== n)

const nextOf = (state: MultiState, caller: Caller, n: number): string => missingOf(state, caller, n)[0] ?? ''
