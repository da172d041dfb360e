import { holdWithHoldfast } from './holdfast.js'
import type { OpenHolder } from './holder.js'
import { holdWithRedisSemaphore } from './redis-semaphore.js'
import { holdWithRedlock5 } from './redlock-5.js'
import { holdWithRedlockUniversal } from './redlock-universal.js'
import { holdWithSesamecareRedlock } from './sesamecare-redlock.js'

/** By the title of the contender. The others do not renew locks automatically. */
const holders = new Map<string, OpenHolder>([
  ['Holdfast', holdWithHoldfast],
  ['redlock 5', holdWithRedlock5],
  ['@sesamecare-oss/redlock', holdWithSesamecareRedlock],
  ['redlock-universal', holdWithRedlockUniversal],
  ['redis-semaphore', holdWithRedisSemaphore],
])

export const renewsAutomatically = (title: string): boolean => holders.has(title)

export function holderOf(title: string): OpenHolder {
  const found = holders.get(title)
  if (!found) throw new Error(`${title} does not renew locks automatically`)
  return found
}
