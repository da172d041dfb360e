import { ProxyLink, proxyNodes, withRedis, type ProxiedNodes, type RedisServer } from '@holdfast/testkit'
import type { LockEngine } from '@holdfast/core/engine'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { Redis } from 'ioredis'
import type { EngineUnderTest, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { scripts } from '../../../src/redis/scripts/generated.js'
import { redisEngine } from '../../../src/redis/engine.js'
import { drivers, type Driver, type Reach } from './drivers.js'

/** The servers of one topology. */
export interface Topology {
  /** Masters and replicas. */
  readonly servers: readonly RedisServer[]
  /** Where clients connect to, by way of these proxies if there are any. */
  reach(links?: ProxiedNodes): Reach
  stop(): Promise<void>
}

/** Redis in some topology, through some driver. */
export class RedisUnderTest<T extends Topology> implements EngineUnderTest {
  readonly name: string
  readonly traits = redisEngine({ redis: 'redis://127.0.0.1' }).traits
  readonly otherProcess: OtherProcess
  readonly #start: () => Promise<T>
  readonly #driver: Driver
  #topology: T | undefined

  constructor(name: string, start: () => Promise<T>, driver: Driver = 'ioredis 6') {
    this.name = name
    this.#start = start
    this.#driver = driver
    this.otherProcess = {
      module: new URL('../workers/redis.mjs', import.meta.url),
      argument: () => ({ driver, reach: this.topology.reach() }),
    }
  }

  get topology(): T {
    if (!this.#topology) throw new Error(`${this.name} has not been started`)
    return this.#topology
  }

  async start(): Promise<void> {
    this.#topology = await this.#start()
    await this.loadScripts()
  }

  async stop(): Promise<void> {
    await this.#topology?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, redis: drivers[this.#driver](this.topology.reach()) })
  }

  engine(): LockEngine {
    return redisEngine({ redis: drivers[this.#driver](this.topology.reach()) })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxies = await proxyNodes(this.topology.servers)
    const redis = drivers[this.#driver](this.topology.reach(proxies))
    return {
      holdfast: new Holdfast({ ...options, redis }),
      link: new ProxyLink(proxies.proxies, () => isAboutLock),
    }
  }

  async wipe(): Promise<void> {
    await this.#onMasters((redis) => redis.flushall())
  }

  async commandCount(): Promise<number> {
    const counts = await this.#onMasters(async (redis) => {
      const stats = await redis.info('commandstats')
      const calls = stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)
      return [...calls].reduce((sum, [, count]) => sum + Number(count), 0)
    })
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** So that each run of a script is one command from the first one on. */
  protected async loadScripts(): Promise<void> {
    await this.#onMasters(async (redis) => {
      for (const { lua } of Object.values(scripts)) await redis.script('LOAD', lua)
    })
  }

  async #onMasters<R>(act: (redis: Redis) => Promise<R>): Promise<R[]> {
    const results = this.topology.servers.map(({ url }) =>
      withRedis(url, async (redis) => {
        const [role] = await redis.role()
        return role === 'master' ? [await act(redis)] : []
      }),
    )
    return (await Promise.all(results)).flat()
  }
}

/** Clients also register themselves and ask who the server is, at any time. */
const isAboutLock = (request: string): boolean => {
  const [command = '', sha1] = request.split(' ')
  const { lockAcquire, lockSetCount, lockRelease, lockRenew, lockTakeOver } = scripts
  const { sharedAcquire, sharedRelease, sharedRenew, sharedResize } = scripts
  const { latchSet, latchCountDown, latchWait } = scripts
  const ofLocks = [lockAcquire, lockSetCount, lockRelease, lockRenew, lockTakeOver]
  const ofShared = [sharedAcquire, sharedRelease, sharedRenew, sharedResize]
  const about = [...ofLocks, ...ofShared, latchSet, latchCountDown, latchWait]
  return command.toLowerCase() === 'evalsha' && about.some((script) => script.sha1 === sha1)
}
