import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { mysql } from '@holdfast/stores/mysql'
import { startMysql, startProxy, type FaultProxy, type MysqlServer } from '@holdfast/testkit'

/** A server of its own: it is restarted and wiped. */
export class MysqlUnderTest implements EngineUnderTest {
  readonly name = 'MySQL'
  readonly traits = mysql({ url: 'mysql://localhost/app' }).traits
  /** It reads a document and replaces it. */
  readonly tripsPerStep = 2
  readonly otherProcess: OtherProcess = {
    module: new URL('../workers/mysql.mjs', import.meta.url),
    argument: () => ({ url: this.#running.url }),
  }
  #server: MysqlServer | undefined

  async start(): Promise<void> {
    this.#server = await startMysql({ settings: { general_log: 'on' } })
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return mysql({ url: this.#running.url })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxy = await startProxy(this.#running, 'mysql')
    const engine = mysql({ url: `mysql://root@${proxy.host}:${proxy.port}/app` })
    return { holdfast: new Holdfast({ ...options, engine }), link: new MysqlLink(proxy) }
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.#running.restart({ crash: !keepData })
  }

  async wipe(): Promise<void> {
    await this.#running.query('truncate table holdfast')
  }

  async commandCount(): Promise<number> {
    return (await this.#running.statements()).match(aboutLocks)?.length ?? 0
  }

  get #running(): MysqlServer {
    if (!this.#server) throw new Error('the server has not been started')
    return this.#server
  }
}

/** A key as statements have it; what clients register has another. */
const keyOf = (kind: string): string => Buffer.from(`d${kind}:`).toString('hex')
const kinds = ['lock', 'read-write-lock', 'semaphore', 'latch'].map(keyOf).join('|')
/** Each statement has one. */
const aboutLocks = new RegExp(`X'(?:${kinds})`, 'gi')
/** Steps that change something end with a write. A count-down in a count that is over only reads. */
const endsStep = new RegExp(`^(?:(?:insert|update) [^]*X'(?:${kinds})|select [^]*X'${keyOf('latch')})`, 'i')

class MysqlLink implements Link {
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
    return this.#proxy.loseReply((statement) => endsStep.test(statement))
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
