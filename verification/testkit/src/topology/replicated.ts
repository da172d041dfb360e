import { answersPing } from '../server/answers-ping.js'
import { startLocalRedis } from '../server/local-redis.js'
import type { RedisServer } from '../server/redis-server.js'
import { until } from '../until.js'
import { localBinary } from './local-binary.js'
import { startReplica } from './replica.js'
import { follows } from './replication.js'
import { startAll, stopAll } from './several.js'

export interface StartReplicatedOptions {
  /** @defaultValue 2 */
  readonly replicas?: number
  /** Further arguments of every server. */
  readonly args?: readonly string[]
}

/** A master and its replicas, without automatic failover: tests promote replicas explicitly. */
export interface ReplicatedRedis extends AsyncDisposable {
  /** All servers; the first master first. */
  readonly servers: readonly RedisServer[]
  /** The master as of the latest `promote`, whether it runs or not. */
  readonly master: RedisServer
  /** All others, whether they run or not. */
  readonly replicas: readonly RedisServer[]
  /** Makes that replica the master; all other responsive servers follow it. */
  promote(replica: RedisServer): Promise<void>
  /** Makes every responsive server follow the master: for a server that returns after a failover. */
  rejoin(): Promise<void>
  /** Stops all servers permanently. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts the servers; resolves when all replicas have caught up. Needs a local server program. */
export async function startReplicated(options: StartReplicatedOptions = {}): Promise<ReplicatedRedis> {
  const { replicas = 2, args = [] } = options
  const master = await startLocalRedis(await localBinary('a replication'), { args })
  try {
    const others = await startAll(
      Array.from({ length: replicas }, () => () => startReplica(master, { args })),
    )
    return new LocalReplication(master, others)
  } catch (error) {
    await master.stop()
    throw error
  }
}

class LocalReplication implements ReplicatedRedis {
  readonly servers: readonly RedisServer[]
  #master: RedisServer

  constructor(master: RedisServer, replicas: readonly RedisServer[]) {
    this.servers = [master, ...replicas]
    this.#master = master
  }

  get master(): RedisServer {
    return this.#master
  }

  get replicas(): readonly RedisServer[] {
    return this.servers.filter((server) => server !== this.#master)
  }

  async promote(replica: RedisServer): Promise<void> {
    if (!this.servers.includes(replica)) throw new Error(`${replica.url} is not one of these servers`)
    await replica.call('REPLICAOF', 'NO', 'ONE')
    this.#master = replica
    await this.rejoin()
  }

  async rejoin(): Promise<void> {
    const master = this.#master
    await Promise.all(
      this.replicas.map(async (replica) => {
        // A frozen server would block the others.
        if (!(await answersPing(replica.host, replica.port))) return
        if (await follows(replica, master)) return
        await replica.call('REPLICAOF', master.host, master.port)
        await until(() => follows(replica, master), {
          what: `${replica.url} to follow ${master.url}`,
        })
      }),
    )
  }

  async stop(): Promise<void> {
    await stopAll(this.servers)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
