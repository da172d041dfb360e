import { titleOf, type Contender } from '../contender.js'
import { handOffByHand } from './hand-off-floor.js'
import { holdfast } from './holdfast.js'
import { observedHoldfast } from './observed-holdfast.js'
import * as nodeRedisson from './node-redisson.js'
import { ping } from './ping.js'
import * as redisSemaphore from './redis-semaphore.js'
import * as redlock4 from './redlock-4.js'
import * as redlock5 from './redlock-5.js'
import * as redlockUniversal from './redlock-universal.js'
import * as sesamecareRedlock from './sesamecare-redlock.js'
import { setAndDelete } from './set-and-delete.js'
import { sharedContenders } from './shared-objects.js'
import * as verrou from './verrou.js'
import { postgresContenders } from '../postgres/contenders.js'

const peers = [redlock4, redlock5, sesamecareRedlock, redlockUniversal, redisSemaphore, verrou, nodeRedisson]

/** Everything that is measured through sessions. Floors first. */
export const contenders: readonly Contender[] = [
  ping,
  setAndDelete,
  handOffByHand,
  holdfast,
  ...peers.flatMap(({ best, defaults }) => [best, defaults]),
]

export function contenderOf(title: string): Contender {
  const known = [...contenders, observedHoldfast, ...sharedContenders, ...postgresContenders]
  const found = known.find((contender) => titleOf(contender) === title)
  if (!found) throw new Error(`unknown contender ${title}; known are: ${known.map(titleOf).join('; ')}`)
  return found
}
