import {
  ask,
  crash,
  enter,
  fail,
  giveUp,
  leave,
  onMessage,
  onReply,
  outdate,
  sendAgain,
  withStray,
} from './client.js'
import { applied, withRan, type Ran } from './effects.js'
import type { Job, Outcome } from './job.js'
import type { Problem } from './problem.js'
import { at, nameOf, replaced, without, type Command, type Owner, type State } from './state.js'
import { timeMoves } from './time.js'

/**
 * `step`: what happens by itself sooner or later. `choice`: what a caller may do or leave. `fault`: what the bounds
 * allow only so often.
 */
export type MoveKind = 'step' | 'choice' | 'fault'

export interface Move {
  readonly kind: MoveKind
  readonly label: string
  readonly next: State
  readonly problems: readonly Problem[]
}

/** Looks an outcome up; `undefined` when the job has to be run first. */
export type Look = (job: Job) => Outcome | undefined

/**
 * All that can happen in a state, or `null` when outcomes are missing.
 *
 * Besides loss, a request may time out (it still runs before what its owner sends next) or be left behind by a
 * connection that breaks (then it runs at any later time, or never), and an ask may be sent again by a cluster client
 * that cannot know whether it ran. A message may be lost, an inbox deaf, a deadline missed, a process gone.
 */
export function movesOf(state: State, look: Look): readonly Move[] | null {
  const moves: Move[] = []
  let missing = 0
  const emit = (kind: MoveKind, label: string, next: State, problems: readonly Problem[] = []): void => {
    const isFault = kind === 'fault'
    if (isFault && state.faultsLeft === 0) return
    moves.push({
      kind,
      label,
      next: isFault ? { ...next, faultsLeft: state.faultsLeft - 1 } : next,
      problems,
    })
  }
  const withOwner = (owner: number, value: Owner): State => ({
    ...state,
    owners: replaced(state.owners, owner, value),
  })
  const run = (owner: number, order: Job['order']): Ran | null => {
    const outcome = look({
      server: state.server,
      owner,
      order,
      heard: state.owners.map((each) => each.isHeard),
    })
    if (!outcome) {
      missing++
      return null
    }
    return applied(state, owner, order, outcome)
  }

  state.owners.forEach((owner, i) => {
    const name = nameOf(i)
    if (owner.phase === 'idle') {
      // Owners that have not asked are alike: they ask in the order of their letters.
      if (i === 0 || at(state.owners, i - 1).phase !== 'idle')
        emit('choice', `${name} asks`, withOwner(i, ask(owner)))
      return
    }
    commandMoves(owner, i, name)
    uncalledMoves(owner, i, name)
    inboxMoves(owner, i, name)
    callerMoves(owner, i, name)
  })
  timeMoves(state, emit)
  forceMoves()
  return missing === 0 ? moves : null

  function commandMoves(owner: Owner, i: number, name: string): void {
    const { command } = owner
    if (!command) return
    const { order, reply } = command
    const failed = fail(owner)
    const again = sendAgain(owner, command)
    // The library repeats asks itself, after a rest; a cluster client repeats them at once.
    const isAsk = owner.phase === 'asking'
    if (reply !== null) {
      const text = `the answer to ${name}'s ${order}`
      const problems = refused(owner, reply, name)
      emit('step', `${text} arrives: ${reply}`, withOwner(i, onReply(owner, reply)), problems)
      emit('fault', `${text} is lost`, withOwner(i, failed))
      if (isAsk) emit('fault', `${text} is lost, it is sent again`, withOwner(i, again))
      return
    }
    const text = `the ${order} of ${name}`
    const wire = [...owner.wire, order]
    const strays = withStray(owner, order)
    emit('fault', `${text} times out`, withOwner(i, { ...failed, wire }))
    emit('fault', `${text} is left behind`, withOwner(i, { ...failed, strays }))
    if (isAsk) emit('fault', `${text} is left behind and sent again`, withOwner(i, { ...again, strays }))
    if (owner.wire.length > 0) return
    const ran = run(i, order)
    if (!ran) return
    if (owner.phase === 'over') {
      // In the background the way back of an answer matters to nobody else: one move.
      const over = at(ran.state.owners, i)
      emit('step', `${text} runs and is answered: ${ran.reply}`, ...withRan(ran, i, onReply(over, ran.reply)))
      emit('fault', `${text} runs, its answer is lost`, ran.state, ran.problems)
      return
    }
    const sent: Command = { ...command, reply: ran.reply }
    // The answer carries Redis's time, by which a grant from before it is seen to have ended.
    const isBusy = ran.reply === 'queued' || ran.reply === 'unqueued'
    const after = at(ran.state.owners, i)
    const told = isBusy ? outdate(after) : after
    emit('step', `${text} runs: ${ran.reply}`, ...withRan(ran, i, { ...told, command: sent }))
  }

  /** Commands that nobody waits for. */
  function uncalledMoves(owner: Owner, i: number, name: string): void {
    const [order] = owner.wire
    if (order !== undefined) {
      const wire = owner.wire.slice(1)
      const strays = withStray(owner, order)
      emit('fault', `the old ${order} of ${name} is left behind`, withOwner(i, { ...owner, wire, strays }))
      const ran = run(i, order)
      if (ran) emit('step', `the old ${order} of ${name} runs: ${ran.reply}`, ...withRan(ran, i, { wire }))
    }
    owner.strays.forEach((stray, nth) => {
      if (owner.strays.indexOf(stray) < nth) return
      const strays = without(owner.strays, nth)
      emit('step', `the stray ${stray} of ${name} is lost`, withOwner(i, { ...owner, strays }))
      const ran = run(i, stray)
      if (!ran) return
      const isOvertaken = owner.isOvertaken || owner.count > 0
      emit(
        'step',
        `the stray ${stray} of ${name} runs: ${ran.reply}`,
        ...withRan(ran, i, { strays, isOvertaken }),
      )
    })
  }

  function inboxMoves(owner: Owner, i: number, name: string): void {
    const [message] = owner.inbox
    if (message !== undefined) {
      const rest = { ...owner, inbox: owner.inbox.slice(1) }
      emit('step', `${name} hears: ${message}`, withOwner(i, onMessage(rest, message)))
      emit('fault', `the message to ${name} is lost: ${message}`, withOwner(i, rest))
    }
    if (owner.phase === 'crashed') {
      if (owner.isHeard)
        emit('step', `Redis drops the inbox of ${name}`, withOwner(i, { ...owner, isHeard: false }))
    } else if (!owner.isHeard) {
      const woken =
        owner.phase === 'waiting' || owner.phase === 'resting' ? ask({ ...owner, isHeard: true }) : owner
      emit('step', `the inbox of ${name} is heard again`, withOwner(i, { ...woken, isHeard: true }))
    } else if (owner.phase !== 'over') {
      emit('fault', `the inbox of ${name} breaks`, withOwner(i, { ...owner, isHeard: false, inbox: [] }))
    }
  }

  function callerMoves(owner: Owner, i: number, name: string): void {
    const { phase, command } = owner
    if (phase !== 'crashed' && (phase !== 'over' || command))
      emit('fault', `${name} crashes`, withOwner(i, crash(owner)))
    if (phase === 'resting') emit('step', `${name} asks again`, withOwner(i, ask(owner)))
    if (phase === 'waiting') {
      // While another owner holds, a further ask changes nothing in Redis: then it is what a gap or a reconnect causes.
      const isKept = state.server.counts.some((count, other) => count > 0 && other !== i)
      emit(isKept && owner.isQueued ? 'fault' : 'step', `${name} asks again`, withOwner(i, ask(owner)))
    }
    if (phase === 'waiting' && owner.isQueued) {
      const ran = run(i, 'refresh')
      const woken = ran && ran.reply !== 'waiting' ? ask(owner) : {}
      if (ran) emit('step', `${name} refreshes: ${ran.reply}`, ...withRan(ran, i, woken))
    }
    if (phase === 'asking' || phase === 'waiting' || phase === 'resting') {
      emit('choice', `${name} gives up`, withOwner(i, giveUp(owner)))
    }
    if (phase === 'holding' && !command) {
      if (!owner.hasNested) emit('choice', `${name} enters once more`, withOwner(i, enter(owner)))
      const label = owner.count > 1 ? `${name} leaves once` : `${name} releases`
      emit('step', label, withOwner(i, leave(owner)))
    }
  }

  function forceMoves(): void {
    if (state.forcesLeft === 0) return
    const holder = state.server.counts.findIndex((count) => count > 0)
    if (holder === -1) return
    const ran = run(holder, 'force')
    if (!ran) return
    const victim = {
      ...at(ran.state.owners, holder),
      isEvicted: at(state.owners, holder).phase !== 'crashed',
    }
    const next = {
      ...ran.state,
      owners: replaced(ran.state.owners, holder, victim),
      forcesLeft: state.forcesLeft - 1,
    }
    emit('choice', `somebody forces the lock of ${nameOf(holder)}`, next, ran.problems)
  }
}

const refused = (owner: Owner, reply: string, name: string): Problem[] =>
  owner.phase === 'asking' && (reply === 'gone' || reply === 'lost')
    ? [{ promise: 'refusal', detail: `${name} is refused: ${reply}` }]
    : []
