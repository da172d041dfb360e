import type { RedisServer } from '@holdfast/testkit'
import { titleOf } from './contender.js'
import { contenders as allContenders } from './contenders/contenders.js'
import { handOffByHand } from './contenders/hand-off-floor.js'
import { holdfast } from './contenders/holdfast.js'
import { defaults as nodeRedissonByDefault } from './contenders/node-redisson.js'
import { redissons, whyNoRedisson } from './contenders/redisson.js'
import { startPinnedRedis } from './redis.js'
import { rivalsInNode, type Rivals } from './rivals.js'
import type { Plan } from './scenario.js'

/** Starts rivals for a lock: contenders that queue at the server, other libraries in Node, or Redisson in Java. */
export interface Starter {
  readonly title: string
  readonly kind: 'queue' | 'peer' | 'java'
  readonly isDefaults: boolean
  start(url: string, processes: number): Promise<Rivals>
}

/** The starters of the plan. Floors that cannot wait cannot contend. Redisson takes part only if no contender is left out. */
export async function startersIn(plan: Plan): Promise<Starter[]> {
  const queueing = [handOffByHand, holdfast]
  // Its waiters unsubscribe each other, and then wait for the lease of 30 s to expire.
  const stalling = nodeRedissonByDefault
  if (plan.contenders.includes(stalling))
    plan.say(`${titleOf(stalling)} is left out: its waiters stall until leases expire`)
  const inNode = plan.contenders
    .filter((contender) => contender !== stalling)
    .filter((contender) => contender.configuration !== 'floor' || queueing.includes(contender))
    .map((contender): Starter => ({
      title: titleOf(contender),
      kind: queueing.includes(contender) ? 'queue' : 'peer',
      isDefaults: contender.configuration === 'defaults',
      start: (url, processes) => rivalsInNode(contender, url, processes),
    }))
  if (plan.contenders.length < allContenders.length) return inNode
  const missing = await whyNoRedisson()
  if (missing !== null) {
    plan.say(`Redisson is left out. ${missing}`)
    return inNode
  }
  const inJava = redissons.map((redisson): Starter => ({ ...redisson, kind: 'java' }))
  return [...inNode, ...inJava]
}

/** Runs the callback with a server that only the benchmark uses. */
export async function onRedis<T>(use: (server: RedisServer) => Promise<T>): Promise<T> {
  const server = await startPinnedRedis()
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** Starts all rivals, runs the callback with them, and stops them. */
export async function withRivals<T>(
  url: string,
  starters: readonly Starter[],
  processesOf: (starter: Starter) => number,
  use: (rivalsByStarter: ReadonlyMap<Starter, Rivals>) => Promise<T>,
): Promise<T> {
  const rivalsByStarter = new Map<Starter, Rivals>()
  try {
    for (const starter of starters)
      rivalsByStarter.set(starter, await starter.start(url, processesOf(starter)))
    return await use(rivalsByStarter)
  } finally {
    await Promise.all([...rivalsByStarter.values()].map((rivals) => rivals.stop()))
  }
}
