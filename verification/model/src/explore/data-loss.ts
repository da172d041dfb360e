import { fail, outdate } from './client.js'
import { storeState, type Entry, type Owner, type State } from './state.js'

/**
 * The store crashed and starts without data. All connections broke: what was in flight never runs, and no reply or
 * notification arrives any more. Who holds is outside the promise until it learns of its loss.
 */
export const withoutData = (state: State): State => ({
  ...state,
  store: storeState(
    state.owners.map(() => 0),
    [],
    state.owners.map((): Entry => '-'),
    false,
  ),
  owners: state.owners.map(disconnected),
  arrivals: [],
})

const disconnected = (owner: Owner): Owner =>
  fail({
    ...outdate(owner),
    wire: [],
    strays: [],
    inbox: [],
    isSubscribed: false,
    isEvicted: owner.phase === 'holding',
    isOvertaken: false,
  })
