import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { memcached } from '@holdfast/stores/memcached'
import { startMemcached, startProxy, type FaultProxy, type MemcachedServer } from '@holdfast/testkit'
import { rawCommands } from '../../support/raw-commands.js'

/** Scenarios wait for it whenever the server has lost its data. */
const graceMs = 3_000

/** A server of its own: it is killed and flushed. */
export class MemcachedUnderTest implements EngineUnderTest {
  readonly name = 'memcached'
  readonly traits = memcached({ url: 'memcached://127.0.0.1' }).traits
  /** It reads a document, and then replaces it. */
  readonly tripsPerStep = 2
  readonly keepsData = false
  readonly otherProcess: OtherProcess = {
    module: new URL('../workers/memcached.mjs', import.meta.url),
    argument: () => ({ url: this.#server?.url, graceMs }),
  }
  #server: MemcachedServer | undefined
  /** By processes before the present one: each counts from 0. */
  #counted = 0

  async start(): Promise<void> {
    this.#server = await startMemcached()
    await this.#untilOpen()
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return memcached({ url: this.#running.url, graceMs })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxy = await startProxy(this.#running, 'memcached')
    const engine = memcached({ url: `memcached://${proxy.host}:${proxy.port}`, graceMs })
    return { holdfast: new Holdfast({ ...options, engine }), link: new MemcachedLink(proxy) }
  }

  async restart(): Promise<void> {
    this.#counted = await this.commandCount()
    await this.#running.restart()
  }

  async wipe(): Promise<void> {
    await rawCommands(this.#running, 'flush_all\r\n')
  }

  /** With each read of a document goes one of the clock key, which is not about a lock. */
  async commandCount(): Promise<number> {
    const reads = Number((await this.#running.stats()).get('cmd_get'))
    return this.#counted + (await this.#running.commands()) - reads / 2
  }

  /** Nobody enters while the data is new. */
  async #untilOpen(): Promise<void> {
    const client = this.open()
    await client.getLock('first').withLock(() => undefined)
    await client.close()
  }

  get #running(): MemcachedServer {
    if (!this.#server) throw new Error('it was not started')
    return this.#server
  }
}

/** A write about a lock: steps that change something end with one. */
const isWrite = (command: string): boolean => /^(?:add|cas|md) holdfast:(?!clock|client)/.test(command)

class MemcachedLink implements Link {
  readonly #proxy: FaultProxy

  constructor(proxy: FaultProxy) {
    this.#proxy = proxy
  }

  blackHole(direction: LinkDirection): void {
    this.#proxy.blackHole(direction === 'toStore' ? 'toServer' : direction)
  }

  heal(): void {
    this.#proxy.heal()
  }

  cut(): void {
    this.#proxy.cut()
  }

  loseNextReply(): Promise<void> {
    let isLatch = false
    return this.#proxy.loseReply((command) => {
      // A count-down in a count that is over reads and writes nothing. The read ends with the clock key.
      if (isLatch && command.startsWith('mg holdfast:clock')) return true
      isLatch = command.startsWith('mg holdfast:latch:')
      return isWrite(command)
    })
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
