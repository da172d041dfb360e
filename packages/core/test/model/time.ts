import { lose, outdate } from './client.js'
import type { MoveKind } from './moves.js'
import { at, nameOf, replaced, serverState, type Entry, type Owner, type State } from './state.js'

/**
 * Time passes by moves of its own, each only where the library's timing rules let it:
 *
 * - a holder's deadline comes before the end of its TTL, so Redis drops the hold only of an owner that no longer claims it;
 *   answers and grants that are still on their way to it then arrive too late
 * - who is alive refreshes its place, so a place goes stale by itself only when its owner is gone, else by a fault
 * - a mark lives longer than any ask that may still be on its way
 * - a key ends when nothing in it is alive
 */
export function timeMoves(state: State, emit: (kind: MoveKind, label: string, next: State) => void): void {
  const { server } = state
  const change = (entries: readonly Entry[], queue = server.queue, counts = server.counts): State => ({
    ...state,
    server: serverState(counts, queue, entries, server.hasFence),
    arrivals: state.arrivals.filter((each) => queue.includes(each)),
  })
  state.owners.forEach((owner, i) => {
    const name = nameOf(i)
    const entry = at(server.entries, i)
    if (owner.phase === 'holding') {
      const owners = replaced(state.owners, i, lose(owner, true))
      emit('fault', `the deadline of ${name} passes`, { ...state, owners })
    } else if (at(server.counts, i) > 0) {
      const next = change(server.entries, server.queue, replaced(server.counts, i, 0))
      const kind = isAboutToLearn(owner) ? 'fault' : 'step'
      emit(kind, `the hold of ${name} ends in Redis`, {
        ...next,
        owners: replaced(state.owners, i, tooLate(owner)),
      })
    }
    if (entry === 'live') {
      const isDead = owner.phase === 'crashed' || owner.phase === 'over'
      emit(
        isDead ? 'step' : 'fault',
        `the place of ${name} goes stale`,
        change(replaced(server.entries, i, 'stale')),
      )
    }
    const mayStillAsk = [...owner.wire, ...owner.strays, owner.command?.order].some(
      (order) => order === 'ask' || order === 'try',
    )
    if (entry === 'mark' && !mayStillAsk) {
      emit('step', `the mark of ${name} ends`, change(replaced(server.entries, i, 'past')))
    }
  })
  const isAlive = (owner: number): boolean => ['live', 'mark'].includes(at(server.entries, owner))
  if (server.queue.length > 0 && !server.queue.some(isAlive)) {
    emit('step', 'the queue ends', change(server.entries, []))
  }
  if (server.entries.some((each) => each !== '-') && !server.entries.some((_, i) => isAlive(i))) {
    emit('step', 'places and marks end', change(server.entries.map(() => '-')))
  }
}

/** What tells the owner that it holds, or ends the hold, is on its way: only a delay of a whole lease comes before it. */
const isAboutToLearn = ({ phase, command, inbox, notice }: Owner): boolean =>
  phase === 'asking' ||
  phase === 'releasing' ||
  command !== null ||
  notice !== null ||
  inbox.includes('granted')

const tooLate = (owner: Owner): Owner => ({
  ...outdate(owner),
  command: owner.command && { ...owner.command, isLate: owner.command.reply === 'held' },
})
