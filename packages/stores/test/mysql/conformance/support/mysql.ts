import { mysql, type MysqlOptions } from '@holdfast/stores/mysql'
import { startMysql, type MysqlServer } from '@holdfast/testkit'
import { firstOf, hostAndPort, StoreUnderTest, type Address } from '../../../support/store-under-test.js'

/** A key as statements have it; what clients register has another. */
const keyOf = (kind: string): string => Buffer.from(`d${kind}:`).toString('hex')
const kinds = ['lock', 'read-write-lock', 'semaphore', 'latch'].map(keyOf).join('|')
/** Each statement has one. */
const aboutLocks = new RegExp(`X'(?:${kinds})`, 'gi')
/** Steps that change something end with a write. A count-down in a count that is over only reads. */
const endsStep = new RegExp(`^(?:(?:insert|update) [^]*X'(?:${kinds})|select [^]*X'${keyOf('latch')})`, 'i')

export class MysqlUnderTest extends StoreUnderTest<MysqlOptions> {
  /** It reads a document and replaces it. */
  readonly tripsPerStep = 2
  #servers: readonly MysqlServer[] = []

  constructor() {
    super('MySQL', {
      store: 'mysql',
      engineOf: mysql,
      optionsAt: (addresses) => ({ url: `mysql://root@${hostAndPort(firstOf(addresses))}/app` }),
      isStep: () => (statement) => endsStep.test(statement),
    })
  }

  async start(): Promise<void> {
    this.#servers = [await startMysql({ settings: { general_log: 'on' } })]
  }

  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.#server.restart({ crash: !keepData })
  }

  async wipe(): Promise<void> {
    await this.#server.query('truncate table holdfast')
  }

  async commandCount(): Promise<number> {
    return (await this.#server.statements()).match(aboutLocks)?.length ?? 0
  }

  protected get addresses(): readonly Address[] {
    return this.#servers
  }

  get #server(): MysqlServer {
    return firstOf(this.#servers)
  }
}
