/** What must hold in every state. A test names what it expects to be violated by these keys. */
export const promises = {
  exclusion:
    'no more permits are held than there are (of a lock one), and owners that believe they hold do so in the store',
  count: 'while nothing of a holder is in flight, its hold count or its permits are the same in the store',
  sum: 'the counter of permits is the sum of the holds, each of which has its end, and both keys live as long as all of them',
  counter: 'the number of waiters that is kept is that of the queue entries',
  ticket: 'of a lock that was handed over the ticket has the hold, and of those who take over one',
  token: 'a token given later is larger, and a hold keeps its token',
  order:
    'who has a queue entry has one position, and no owner overtakes a live, subscribed waiter that queued earlier',
  handOff:
    'a step after which the first live, subscribed waiter fits lets it in, and only such waiters are let in',
  leftover: 'an owner that is done leaves no hold and no queue entry, and a holder has no queue entry',
  refusal:
    'an owner that has not given up is never refused as abandoned, and a refused request changes nothing',
  ttl: 'what the store keeps lives as long as asked for, and no TTL shrinks',
  expiry: 'what has expired and is still stored changes nothing',
  repetition: 'a step that runs twice in a row changes nothing the second time',
  sameness: 'two stores do the same in every step',
  quiet:
    'from every state, without further faults, all waiters are served and the lock becomes free and empty',
} as const

export type Promised = keyof typeof promises

export interface Problem {
  readonly promise: Promised
  readonly detail: string
}
