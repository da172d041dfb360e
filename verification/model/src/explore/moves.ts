import {
  crash,
  enter,
  fail,
  giveUp,
  handOver,
  leave,
  lower,
  onNotice,
  onReply,
  outdate,
  request,
  sendAgain,
  withStray,
} from './client.js'
import { applied, withRan, type Ran } from './effects.js'
import type { Job, Outcome } from './job.js'
import type { Move, MoveKind } from './move.js'
import type { Problem } from './problem.js'
import {
  at,
  isHandingOver,
  isTicket,
  nameOf,
  replaced,
  without,
  type Command,
  type Owner,
  type State,
} from './state.js'
import { withoutData } from './data-loss.js'
import { timeMoves } from './time.js'

/** Looks up an outcome; `undefined` when the job has yet to be run. */
export type Look = (job: Job) => Outcome | undefined

/**
 * All that can happen in a state, or `null` when outcomes are missing.
 *
 * Besides being lost, a command may time out (it still runs before what its owner sends next) or be left behind by a
 * connection that breaks (then it runs at any later time, or never), and a request may be repeated by a cluster client
 * that cannot know whether it ran. A notification or a subscription may be lost, a deadline missed, a process may die, and
 * the store its data.
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
  const ticket = state.owners.at(-1)?.phase
  const withOwner = (owner: number, value: Owner): State => ({
    ...state,
    owners: replaced(state.owners, owner, value),
  })
  const run = (owner: number, step: Job['step']): Ran | null => {
    const outcome = look({
      store: state.store,
      owner,
      step,
      subscribed: state.owners.map((each) => each.isSubscribed),
    })
    if (!outcome) {
      missing++
      return null
    }
    return applied(state, owner, step, outcome)
  }

  state.owners.forEach((owner, i) => {
    const name = nameOf(i)
    if (isTicket(owner)) return
    if (owner.phase === 'idle') {
      if (owner.isTaker && ticket !== 'written') return
      // Idle owners that want the same are alike: they begin in alphabetical order.
      const isAlike = ({ phase, want, isTaker }: Owner): boolean =>
        phase === 'idle' && want === owner.want && isTaker === owner.isTaker
      if (!state.owners.slice(0, i).some(isAlike))
        emit('choice', `${name} ${owner.isTaker ? 'takes over' : 'requests'}`, withOwner(i, request(owner)))
      return
    }
    commandMoves(owner, i, name)
    unattendedMoves(owner, i, name)
    inboxMoves(owner, i, name)
    callerMoves(owner, i, name)
    renewalMove(owner, i, name)
  })
  timeMoves(state, emit)
  forceMoves()
  resizeMoves()
  if (state.hasUpkeep) sweepMove()
  if (state.mayLoseData) emit('fault', 'the store crashes and loses its data', withoutData(state))
  return missing === 0 ? moves : null

  function commandMoves(owner: Owner, i: number, name: string): void {
    const { command } = owner
    if (!command) return
    const { step, reply } = command
    const failed = fail(owner)
    const again = sendAgain(owner, command)
    // The library repeats requests itself, after a pause; a cluster client repeats them at once.
    const isRequest = owner.phase === 'requesting'
    if (reply !== null) {
      const text = `the reply to ${name}'s ${step}`
      const problems = refused(owner, reply, name)
      const next = withOwner(i, onReply(owner, reply))
      const isHandedOver = isHandingOver(step) && reply === 'released'
      emit('progress', `${text} arrives: ${reply}`, isHandedOver ? withTicket(next) : next, problems)
      emit('fault', `${text} is lost`, withOwner(i, failed))
      if (isRequest) emit('fault', `${text} is lost, it is sent again`, withOwner(i, again))
      return
    }
    const text = `${name}'s ${step}`
    const wire = [...owner.wire, step]
    const strays = withStray(owner, step)
    emit('fault', `${text} times out`, withOwner(i, { ...failed, wire }))
    emit('fault', `${text} is left behind`, withOwner(i, { ...failed, strays }))
    if (isRequest) emit('fault', `${text} is left behind and sent again`, withOwner(i, { ...again, strays }))
    if (owner.wire.length > 0) return
    const ran = run(i, step)
    if (!ran) return
    if (owner.phase === 'over') {
      // In the background the way back of a reply affects nothing else: one move.
      const over = at(ran.state.owners, i)
      emit(
        'progress',
        `${text} runs, its reply arrives: ${ran.reply}`,
        ...withRan(ran, i, onReply(over, ran.reply)),
      )
      emit('fault', `${text} runs, its reply is lost`, ran.state, ran.problems)
      return
    }
    const sent: Command = { ...command, reply: ran.reply }
    // The reply carries the store's time, which shows that an earlier grant has ended.
    const isBusy = ran.reply === 'queued' || ran.reply === 'unqueued'
    const after = at(ran.state.owners, i)
    const informed = isBusy ? outdate(after) : after
    emit('progress', `${text} runs: ${ran.reply}`, ...withRan(ran, i, { ...informed, command: sent }))
  }

  /** Commands that their owner no longer waits for. */
  function unattendedMoves(owner: Owner, i: number, name: string): void {
    const [step] = owner.wire
    if (step !== undefined) {
      const wire = owner.wire.slice(1)
      const strays = withStray(owner, step)
      emit('fault', `${name}'s old ${step} is left behind`, withOwner(i, { ...owner, wire, strays }))
      const ran = run(i, step)
      if (ran) emit('progress', `${name}'s old ${step} runs: ${ran.reply}`, ...withRan(ran, i, { wire }))
    }
    owner.strays.forEach((stray, nth) => {
      if (owner.strays.indexOf(stray) < nth) return
      const strays = without(owner.strays, nth)
      emit('progress', `${name}'s stray ${stray} is lost`, withOwner(i, { ...owner, strays }))
      const ran = run(i, stray)
      if (!ran) return
      // Permits are only lowered: a late command finds them given back.
      const isOvertaken = owner.isOvertaken || (state.isLock && owner.count > 0)
      emit(
        'progress',
        `${name}'s stray ${stray} runs: ${ran.reply}`,
        ...withRan(ran, i, { strays, isOvertaken }),
      )
    })
  }

  function inboxMoves(owner: Owner, i: number, name: string): void {
    const [notice] = owner.inbox
    if (notice !== undefined) {
      const rest = { ...owner, inbox: owner.inbox.slice(1) }
      emit('progress', `${name} is notified: ${notice}`, withOwner(i, onNotice(rest, notice)))
      emit('fault', `the notification to ${name} is lost: ${notice}`, withOwner(i, rest))
    }
    if (owner.phase === 'crashed') {
      if (owner.isSubscribed)
        emit(
          'progress',
          `the store drops the subscription of ${name}`,
          withOwner(i, { ...owner, isSubscribed: false }),
        )
    } else if (!owner.isSubscribed) {
      const woken =
        owner.phase === 'waiting' || owner.phase === 'pausing'
          ? request({ ...owner, isSubscribed: true })
          : owner
      emit('progress', `${name} is subscribed again`, withOwner(i, { ...woken, isSubscribed: true }))
    } else if (owner.phase !== 'over') {
      emit(
        'fault',
        `${name} loses its subscription`,
        withOwner(i, { ...owner, isSubscribed: false, inbox: [] }),
      )
    }
  }

  function callerMoves(owner: Owner, i: number, name: string): void {
    const { phase, command } = owner
    if (phase !== 'crashed' && (phase !== 'over' || command))
      emit('fault', `${name} crashes`, withOwner(i, crash(owner)))
    if (phase === 'pausing') emit('progress', `${name} repeats its request`, withOwner(i, request(owner)))
    if (phase === 'waiting') {
      // While another owner holds, a repeated request changes nothing in the store: then a gap or a reconnect causes it. Those
      // that share an object learn from a refresh when to request.
      const isHeldByOther = state.store.counts.some((count, other) => count > 0 && other !== i)
      emit(
        (isHeldByOther || !state.isLock) && owner.isQueued ? 'fault' : 'progress',
        `${name} repeats its request`,
        withOwner(i, request(owner)),
      )
    }
    if (phase === 'waiting' && owner.isQueued) {
      const ran = run(i, 'refresh')
      const woken = ran && ran.reply !== 'waiting' ? request(owner) : {}
      if (ran) emit('progress', `${name} refreshes: ${ran.reply}`, ...withRan(ran, i, woken))
    }
    if (phase === 'requesting' || phase === 'waiting' || phase === 'pausing') {
      emit('choice', `${name} gives up`, withOwner(i, giveUp(owner)))
    }
    if (phase === 'holding' && !command) {
      if (!owner.hasNested) emit('choice', `${name} enters once more`, withOwner(i, enter(owner)))
      if (!state.isLock && owner.count > 1)
        emit('choice', `${name} gives back a permit`, withOwner(i, lower(owner)))
      const label = owner.count > owner.want ? `${name} leaves once` : `${name} releases`
      emit('progress', label, withOwner(i, leave(owner)))
      if (ticket === 'unwritten' && !owner.isTaker && owner.count === owner.want)
        emit('choice', `${name} hands over`, withOwner(i, handOver(owner)))
    }
  }

  /** A renewal, perhaps a late one: it changes nothing but times. */
  function renewalMove(owner: Owner, i: number, name: string): void {
    if ((state.isLock && !state.hasUpkeep) || !['holding', 'over', 'crashed'].includes(owner.phase)) return
    const ran = run(i, 'renew')
    if (ran) emit('progress', `a renewal by ${name} runs: ${ran.reply}`, ran.state, ran.problems)
  }

  /** Changes nothing that matters. */
  function sweepMove(): void {
    const ran = run(0, 'sweep')
    if (ran) emit('progress', 'a sweep runs', ran.state, ran.problems)
  }

  function forceMoves(): void {
    if (state.forcesLeft === 0) return
    state.store.counts.forEach((count, holder) => {
      const ran = count > 0 ? run(holder, 'force') : null
      if (!ran) return
      const isEvicted = at(state.owners, holder).phase !== 'crashed'
      const [next, problems] = withRan(ran, holder, { isEvicted })
      const forcesLeft = state.forcesLeft - 1
      emit('choice', `another client evicts ${nameOf(holder)}`, { ...next, forcesLeft }, problems)
    })
  }

  function resizeMoves(): void {
    const [size, ...resizesLeft] = state.resizesLeft
    if (size === undefined) return
    const ran = run(0, `resize to ${size}`)
    if (!ran) return
    emit('choice', `another client resizes to ${size}`, { ...ran.state, resizesLeft }, ran.problems)
  }
}

/** Its owner knows that it is good, and passes it on. */
const withTicket = (state: State): State => {
  const last = state.owners.length - 1
  return { ...state, owners: replaced(state.owners, last, { ...at(state.owners, last), phase: 'written' }) }
}

const refused = (owner: Owner, reply: string, name: string): Problem[] =>
  owner.phase === 'requesting' && (reply === 'abandoned' || reply === 'lost')
    ? [{ promise: 'refusal', detail: `${name} is refused: ${reply}` }]
    : []
