import { keyList } from '../../src/redis/commands.js'
import { pairsOf } from './waiting.js'
import type { RedisKind } from './redis-kind.js'

/** How long ago entries were made: longer than any has been past its time. */
const madeMs = 3_600_000

/** A lock in Redis. */
export const redisLock: RedisKind = {
  object: 'lock',
  scripts: [
    'lockAcquire',
    'lockSetCount',
    'lockRelease',
    'lockTakeOver',
    'lockRenew',
    'lockRefresh',
    'lockForce',
    'lockInspect',
  ],
  ways: [
    { leftover: 'stale entry', promise: 'expiry' },
    { leftover: 'expired tombstone', promise: 'expiry' },
  ],
  entries: {
    unitsPerMs: 1_000,
    write: ({ grantLeaseMs, leftMs }, nowMs, address) =>
      `${(nowMs - madeMs) * 1_000} ${madeMs + leftMs} ${grantLeaseMs} 1 ${address}`,
    read: ([sinceUs, forMs, grantLeaseMs, , proof = '', inbox = ''], nowMs) => ({
      want: 1,
      size: 1,
      grantLeaseMs: Number(grantLeaseMs),
      leftMs: Number(sinceUs) / 1_000 + Number(forMs) - nowMs,
      proof,
      inbox,
    }),
  },
  keyList,
  queueAt: 1,
  restore: ({ holds }, { main }) =>
    holds.flatMap(({ owner, count, leftMs }) => [
      ['hset', main, owner, count],
      ['pexpire', main, leftMs],
    ]),
  read: ([lock]) => ({
    holds: [...pairsOf(lock?.list ?? [])].map(([owner, count]) => ({
      owner,
      count: Number(count),
      token: null,
      leftMs: lock?.ttlMs ?? 0,
    })),
    ended: [],
    resized: null,
    problems: [],
  }),
}
