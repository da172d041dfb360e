import { memcached, type MemcachedOptions } from '@holdfast/stores/memcached'
import { startMemcached, type MemcachedServer } from '@holdfast/testkit'
import { firstOf, hostAndPort, StoreUnderTest, type Address } from '../../../support/store-under-test.js'
import { rawCommands } from '../../support/raw-commands.js'

/** Scenarios wait for it whenever the server has lost its data. */
const graceMs = 3_000

/** A write about a lock: steps that change something end with one. */
const isWrite = (command: string): boolean => /^(?:add|cas|md) holdfast:(?!clock|client)/.test(command)

export class MemcachedUnderTest extends StoreUnderTest<MemcachedOptions> {
  /** It reads a document, and then replaces it. */
  readonly tripsPerStep = 2
  readonly keepsData = false
  #servers: readonly MemcachedServer[] = []
  /** By processes before the present one: each counts from 0. */
  #counted = 0

  constructor() {
    super('memcached', {
      store: 'memcached',
      engineOf: memcached,
      optionsAt: (addresses) => ({ url: `memcached://${hostAndPort(firstOf(addresses))}`, graceMs }),
      isStep() {
        let isLatch = false
        return (command) => {
          // A count-down in a count that is over reads and writes nothing. The read ends with the clock key.
          if (isLatch && command.startsWith('mg holdfast:clock')) return true
          isLatch = command.startsWith('mg holdfast:latch:')
          return isWrite(command)
        }
      },
    })
  }

  /** Nobody enters while the data is new. */
  async start(): Promise<void> {
    this.#servers = [await startMemcached()]
    const client = this.open()
    await client.getLock('first').withLock(() => undefined)
    await client.close()
  }

  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async restart(): Promise<void> {
    this.#counted = await this.commandCount()
    await this.#server.restart()
  }

  async wipe(): Promise<void> {
    await rawCommands(this.#server, 'flush_all\r\n')
  }

  /** With each read of a document goes one of the clock key, which is not about a lock. */
  async commandCount(): Promise<number> {
    const reads = Number((await this.#server.stats()).get('cmd_get'))
    return this.#counted + (await this.#server.commands()) - reads / 2
  }

  protected get addresses(): readonly Address[] {
    return this.#servers
  }

  get #server(): MemcachedServer {
    return firstOf(this.#servers)
  }
}
