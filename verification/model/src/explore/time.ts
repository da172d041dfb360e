import { lose, outdate } from './client.js'
import type { MoveKind } from './move.js'
import { at, nameOf, replaced, storeState, type Entry, type Owner, type State } from './state.js'

/**
 * Time passes by moves of its own, each only where the library's timing rules allow it:
 *
 * - a holder's deadline comes before the end of its TTL, so the store drops only holds that no owner claims any longer;
 *   replies and grants that are still on their way then arrive too late
 * - a live client refreshes its queue entries, so without a fault only those of owners that are done go stale
 * - a tombstone outlives every request that may still be in flight
 * - the queue expires once none of its entries is alive
 */
export function timeMoves(state: State, emit: (kind: MoveKind, label: string, next: State) => void): void {
  const { store } = state
  const change = (entries: readonly Entry[], queue = store.queue, counts = store.counts): State => ({
    ...state,
    store: storeState(counts, queue, entries, store.hasFence, store.size),
    arrivals: state.arrivals.filter((each) => queue.includes(each)),
  })
  state.owners.forEach((owner, i) => {
    const name = nameOf(i)
    const entry = at(store.entries, i)
    if (owner.phase === 'holding') {
      const owners = replaced(state.owners, i, lose(owner, true))
      emit('fault', `the deadline of ${name} passes`, { ...state, owners })
    } else if (at(store.counts, i) > 0) {
      const next = change(store.entries, store.queue, replaced(store.counts, i, 0))
      const kind = isAboutToLearn(owner) ? 'fault' : 'progress'
      emit(kind, `the hold of ${name} expires in the store`, {
        ...next,
        owners: replaced(state.owners, i, tooLate(owner)),
      })
    }
    if (entry === 'live') {
      const isDead = owner.phase === 'crashed' || owner.phase === 'over'
      emit(
        isDead ? 'progress' : 'fault',
        `the queue entry of ${name} goes stale`,
        change(replaced(store.entries, i, 'stale')),
      )
    }
    const mayStillRequest = [...owner.wire, ...owner.strays, owner.command?.step].some(
      (step) => step === 'request' || step === 'try' || step === 'take over',
    )
    if (entry === 'tombstone' && !mayStillRequest) {
      emit('progress', `the tombstone of ${name} expires`, change(replaced(store.entries, i, '-')))
    }
  })
  if (store.queue.length > 0 && store.queue.every((owner) => store.entries[owner] !== 'live')) {
    const entries = store.entries.map((entry, i) => (store.queue.includes(i) ? '-' : entry))
    emit('progress', 'the queue expires', change(entries, []))
  }
  if (store.size !== null) {
    const { counts, queue, entries, hasFence } = store
    const next = { ...state, store: storeState(counts, queue, entries, hasFence) }
    emit('progress', 'the object has its own size again', next)
  }
}

/** The news that it holds, or what ends its hold, is on its way: only a delay of a whole lease comes before that. */
const isAboutToLearn = ({ phase, command, inbox, notice }: Owner): boolean =>
  phase === 'requesting' ||
  phase === 'releasing' ||
  command !== null ||
  notice !== null ||
  inbox.includes('granted')

const tooLate = (owner: Owner): Owner => ({
  ...outdate(owner),
  command: owner.command && { ...owner.command, isLate: owner.command.reply === 'held' },
})
