/** What must hold in every state. A test names what it expects to be violated by these keys. */
export const promises = {
  exclusion: 'at most one owner believes it holds the lock, and it is the holder in the store',
  count: 'while nothing of the holder is in flight, its hold count is the same in the store',
  token: 'a token given later is larger, and a hold keeps its token',
  order:
    'who has a queue entry has one position, and no owner overtakes a live, subscribed waiter that queued earlier',
  handOff: 'a release leaves no live, subscribed waiter at a free lock, and only such waiters are granted it',
  leftover: 'an owner that is done leaves no hold and no queue entry, and a holder has no queue entry',
  refusal: 'an owner that has not given up is never refused as abandoned',
  ttl: 'what the store keeps lives as long as asked for, and no TTL shrinks',
  expiry: 'what has expired and is still stored changes nothing',
  quiet:
    'from every state, without further faults, all waiters are served and the lock becomes free and empty',
} as const

export type Promised = keyof typeof promises

export interface Problem {
  readonly promise: Promised
  readonly detail: string
}
