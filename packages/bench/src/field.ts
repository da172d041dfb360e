import type { RedisServer } from '@holdfast/testkit'
import { titleOf } from './contender.js'
import { contenders as everybody } from './contenders/contenders.js'
import { handOffByHand } from './contenders/hand-off-floor.js'
import { holdfast } from './contenders/holdfast.js'
import { defaults as nodeRedissonByDefault } from './contenders/node-redisson.js'
import { redissons, whyNoRedisson } from './contenders/redisson.js'
import { startPinnedRedis } from './redis.js'
import { crewOfRivals, type Rivals } from './rivals.js'
import type { Plan } from './scenario.js'

/** Who can contend for a lock: those who queue at the server, other libraries in Node, and Redisson in Java. */
export interface Starter {
  readonly title: string
  readonly kind: 'queue' | 'peer' | 'java'
  readonly isDefaults: boolean
  start(url: string, processes: number): Promise<Rivals>
}

/** Those of the plan. Floors that wait for nobody cannot contend. Redisson takes part when nobody is left out. */
export async function startersIn(plan: Plan): Promise<Starter[]> {
  const queueing = [handOffByHand, holdfast]
  // Its waiters stop each other from listening, and then wait for the lease of 30 s to end.
  const standsStill = nodeRedissonByDefault
  if (plan.contenders.includes(standsStill))
    plan.say(`${titleOf(standsStill)} is left out: it stands still until leases end`)
  const inNode = plan.contenders
    .filter((contender) => contender !== standsStill)
    .filter((contender) => contender.configuration !== 'floor' || queueing.includes(contender))
    .map((contender): Starter => ({
      title: titleOf(contender),
      kind: queueing.includes(contender) ? 'queue' : 'peer',
      isDefaults: contender.configuration === 'defaults',
      start: (url, processes) => crewOfRivals(contender, url, processes),
    }))
  if (plan.contenders.length < everybody.length) return inNode
  const missing = await whyNoRedisson()
  if (missing !== null) {
    plan.say(`Redisson is left out. ${missing}`)
    return inNode
  }
  const inJava = redissons.map((redisson): Starter => ({ ...redisson, kind: 'java' }))
  return [...inNode, ...inJava]
}

/** Runs the callback with a server of the benchmark's own. */
export async function onRedis<T>(use: (server: RedisServer) => Promise<T>): Promise<T> {
  const server = await startPinnedRedis()
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

/** Runs the callback with all of them, each in so many processes as told. Ends them all. */
export async function withField<T>(
  url: string,
  starters: readonly Starter[],
  processesOf: (starter: Starter) => number,
  use: (field: ReadonlyMap<Starter, Rivals>) => Promise<T>,
): Promise<T> {
  const field = new Map<Starter, Rivals>()
  try {
    for (const starter of starters) field.set(starter, await starter.start(url, processesOf(starter)))
    return await use(field)
  } finally {
    await Promise.all([...field.values()].map((rivals) => rivals.stop()))
  }
}
