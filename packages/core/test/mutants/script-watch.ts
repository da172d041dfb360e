import type { RedisServer } from '@holdfast/testkit'
import { Redis } from 'ioredis'

/** Ends scripts that do not end by themselves, so that whoever called them is told. */
export class ScriptWatch {
  readonly #server: RedisServer
  readonly #redis: Redis
  readonly #timer: NodeJS.Timeout
  #isLooking = false

  /** @param server - with a low `lua-time-limit` */
  constructor(server: RedisServer) {
    this.#server = server
    this.#redis = new Redis(server.url)
    this.#redis.on('error', () => {})
    this.#timer = setInterval(() => void this.#look(), 500)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#redis.disconnect()
  }

  /** A script that has written cannot be ended without the server. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      await this.#redis.ping()
    } catch (error) {
      if (!String(error).includes('BUSY')) return
      const killed = await this.#redis.script('KILL').catch(String)
      if (String(killed).includes('UNKILLABLE')) await this.#server.restart()
    } finally {
      this.#isLooking = false
    }
  }
}
