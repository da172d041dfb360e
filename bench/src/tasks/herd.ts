import { setTimeout as sleep } from 'node:timers/promises'
import { withRedis } from '@holdfast/testkit/process'
import { enterAlone, type Session } from '../contender.js'
import { scriptsSent } from '../server-info.js'
import { nowUs } from './contend.js'

export interface HerdOrder {
  readonly url: string
  readonly lock: string
  readonly waiters: number
  /** Whether all can be in at once; otherwise each leaves so that the next one can enter. */
  readonly isTogether: boolean
}

/** In microseconds, from the release on until the last one is in. */
export interface HerdTimes {
  readonly us: number
  /** Of the scripts at Redis. */
  readonly redisUs: number
}

/** One holds the lock alone, and many wait for it; then it is released. */
export async function herd(
  session: Session,
  { url, lock, waiters, isTogether }: HerdOrder,
): Promise<HerdTimes> {
  const leave = await enterAlone(session, lock)
  const entries = Array.from({ length: waiters }, async () => {
    const leaveAgain = await session.enter(lock)
    if (isTogether) return leaveAgain
    await leaveAgain()
    return () => Promise.resolve()
  })
  // All are to be queued before the release.
  await sleep(50 + waiters / 5)
  await withRedis(url, (redis) => redis.config('RESETSTAT'))
  const releasedAtUs = nowUs()
  await leave()
  const leaves = await Promise.all(entries)
  const us = nowUs() - releasedAtUs
  const { us: redisUs } = await scriptsSent(url)
  await Promise.all(leaves.map((leaveAgain) => leaveAgain()))
  return { us, redisUs }
}
