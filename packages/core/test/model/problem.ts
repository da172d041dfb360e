/** What must hold in every state, and the name under which a test expects it to be violated. */
export const promises = {
  exclusion: 'at most one owner believes to hold, and it is the one that Redis counts',
  count: 'the count in Redis is the one the holder has when nothing of it is in flight',
  token: 'a token given later is larger, and a hold keeps its token',
  order: 'nobody overtakes a live, heard waiter that was queued earlier',
  handOff:
    'a release leaves no live, heard waiter waiting at a free lock, and grants go to such waiters only',
  leftover: 'an owner that is done leaves no hold and no place, and a holder has no place',
  refusal: 'an owner that has not given up is never refused as gone',
  ttl: 'every key has a TTL that covers its longest-lived entry and never shrinks',
  quiet:
    'from every state, without further faults, all waiters are served and the lock becomes free and empty',
} as const

export type Promised = keyof typeof promises

export interface Problem {
  readonly promise: Promised
  readonly detail: string
}
