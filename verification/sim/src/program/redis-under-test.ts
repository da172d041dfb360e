import type { EngineUnderTest, LinkedClient } from '@holdfast/conformance'
import { Holdfast, redisEngine, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import type { RedisWay } from '../redis/way.js'
import { SimRedisClient } from './redis-client.js'

/** Simulated servers, as the conformance suite treats them. */
export interface RedisServers {
  /** A way to them of its own. */
  way(): RedisWay
  restart(keepsData: boolean): void
  failOver(): void
  wipe(): void
  /** How many scripts they have run. */
  readonly runs: number
}

/** The engine for Redis in this process, on servers in others. */
export class RedisUnderTest implements EngineUnderTest {
  readonly name = 'Redis, simulated'
  readonly isExact = true
  readonly #servers: RedisServers

  constructor(servers: RedisServers) {
    this.#servers = servers
  }

  get traits() {
    return this.engine().traits
  }

  start = (): Promise<void> => Promise.resolve()
  stop = (): Promise<void> => Promise.resolve()

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return engineOn(this.#servers.way())
  }

  openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const link = this.#servers.way()
    return Promise.resolve({ holdfast: new Holdfast({ ...options, engine: engineOn(link) }), link })
  }

  restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    this.#servers.restart(keepData)
    return Promise.resolve()
  }

  failOver(): Promise<void> {
    this.#servers.failOver()
    return Promise.resolve()
  }

  wipe(): Promise<void> {
    this.#servers.wipe()
    return Promise.resolve()
  }

  commandCount(): Promise<number> {
    return Promise.resolve(this.#servers.runs)
  }
}

const engineOn = (way: RedisWay): LockEngine =>
  redisEngine({ redis: new SimRedisClient(way.address, (events) => way.dial(events)) })
