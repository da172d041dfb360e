import { startProxy, type FaultProxy } from '../faults/proxy.js'
import { startPostgresWith, type PostgresServer } from '../postgres/postgres-server.js'
import { until } from '../until.js'

export interface PostgresPairOptions {
  /** Whether a commit waits until the standby has it, as long as there is one. */
  readonly isSynchronous: boolean
}

/** A primary and its standby. Nothing is promoted by itself. */
export interface PostgresPair extends AsyncDisposable {
  /** The server that is the primary as of the latest failover, whether it runs or not. */
  readonly primary: PostgresServer
  /** Where that is, for `startProxy`: follows each failover. */
  readonly address: { readonly host: string; readonly port: number }
  /** All that the standby receives comes through here. */
  readonly replication: FaultProxy
  /**
   * Kills the primary and promotes the standby as it is. The killed one stays down until `rejoin`. With `isBeside` it is not
   * killed: until `rejoin` both are primaries, and nothing that the old one commits reaches the other.
   */
  failOver(options?: { readonly isBeside?: boolean }): Promise<void>
  /** Makes a standby of the server that the last failover has replaced, if there was one. */
  rejoin(): Promise<void>
  /** Stops both permanently. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts both; resolves when the standby follows. */
export async function startPostgresPair({ isSynchronous }: PostgresPairOptions): Promise<PostgresPair> {
  const options = { settings: {}, env: {} }
  const primary = await startPostgresWith(options, (server) => server.init())
  const address = new CurrentAddress(primary)
  const replication = await startProxy(address, 'unknown')
  try {
    const standby = await startPostgresWith(options, (server) => server.cloneFrom(replication))
    const pair = new LocalPair(address, standby, replication, isSynchronous)
    await pair.whenFollowed()
    return pair
  } catch (error) {
    await replication.close()
    await primary.stop()
    throw error
  }
}

class CurrentAddress {
  constructor(public server: PostgresServer) {}

  get host(): string {
    return this.server.host
  }

  get port(): number {
    return this.server.port
  }
}

class LocalPair implements PostgresPair {
  readonly address: CurrentAddress
  readonly replication: FaultProxy
  readonly #isSynchronous: boolean
  #other: PostgresServer
  #isAlone = false

  constructor(
    address: CurrentAddress,
    standby: PostgresServer,
    replication: FaultProxy,
    isSynchronous: boolean,
  ) {
    this.address = address
    this.#other = standby
    this.replication = replication
    this.#isSynchronous = isSynchronous
  }

  get primary(): PostgresServer {
    return this.address.server
  }

  async failOver({ isBeside = false } = {}): Promise<void> {
    if (this.#isAlone) throw new Error('there is no standby')
    const standby = this.#other
    this.#other = this.primary
    this.#isAlone = true
    if (!isBeside) await this.#other.kill()
    await standby.query('select pg_promote()')
    this.address.server = standby
  }

  async rejoin(): Promise<void> {
    if (!this.#isAlone) return
    await this.#other.kill()
    await this.#other.cloneFrom(this.replication)
    await this.#other.start()
    await this.whenFollowed()
    this.#isAlone = false
  }

  /** A standby is a copy of its primary, settings included: the one that commits wait for is named afterwards. */
  async whenFollowed(): Promise<void> {
    const { primary } = this
    await until(
      async () =>
        (await primary.query("select from pg_stat_replication where state = 'streaming'")).length > 0,
      { what: 'the standby to follow', everyMs: 50 },
    )
    if (!this.#isSynchronous) return
    await primary.query("alter system set synchronous_standby_names = '*'")
    await primary.query('select pg_reload_conf()')
    await until(
      async () => {
        const rows = await primary.query("select from pg_stat_replication where sync_state = 'sync'")
        return rows.length > 0
      },
      { what: 'commits to wait for the standby', everyMs: 50 },
    )
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.#other.stop()])
    await this.replication.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
