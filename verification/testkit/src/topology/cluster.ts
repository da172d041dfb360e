import { freePortPair } from '../free-port.js'
import { startLocalRedis } from '../server/local-redis.js'
import type { RedisServer } from '../server/redis-server.js'
import { until } from '../until.js'
import { parseClusterNodes, type ClusterNode } from './cluster-nodes.js'
import { localBinary } from './local-binary.js'
import { whenFollowing } from './replica.js'

const slotCount = 16_384
/** The bus of a Redis Cluster uses the node's port plus this. */
const busDistance = 10_000

export interface StartClusterOptions {
  /** @defaultValue 3 */
  readonly masters?: number
  /** Replicas per master. @defaultValue 0 */
  readonly replicas?: 0 | 1
  /** A node counts as failed after being unresponsive for this long, in milliseconds. @defaultValue 1_000 */
  readonly nodeTimeoutMs?: number
  /** Further arguments of every node. */
  readonly args?: readonly string[]
}

/** A private Redis Cluster for a test, on loopback. */
export interface RedisCluster extends AsyncDisposable {
  /** All nodes: the first masters first, then their replicas in the same order. */
  readonly nodes: readonly RedisServer[]
  /** The startup nodes for a cluster client. */
  readonly startupNodes: readonly { readonly host: string; readonly port: number }[]
  /** The node that serves this key (or slot, if a number) now. */
  masterOf(keyOrSlot: string | number): Promise<RedisServer>
  /** The replica of the node that serves this key or slot now. */
  replicaOf(keyOrSlot: string | number): Promise<RedisServer>
  /** Performs an orderly failover to the replica (CLUSTER FAILOVER). Resolves with the new master. */
  failover(keyOrSlot: string | number): Promise<RedisServer>
  /** Resolves when every running node sees all slots served, and every live node as a master or its replica. */
  whenStable(timeoutMs?: number): Promise<void>
  /** Stops all nodes permanently. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts and joins the nodes; resolves when all of them report the cluster state ok. Needs a local server program. */
export async function startCluster(options: StartClusterOptions = {}): Promise<RedisCluster> {
  const { masters = 3, replicas = 0, nodeTimeoutMs = 1_000, args = [] } = options
  const binary = await localBinary('a cluster')
  const nodes: RedisServer[] = []
  const cluster = new LocalCluster(nodes, masters)
  try {
    for (let n = 0; n < masters * (1 + replicas); n += 1) {
      const port = await freePortPair(busDistance)
      const own = ['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeoutMs)]
      nodes.push(await startLocalRedis(binary, { port, args: [...own, ...args] }))
    }
    await join(nodes, masters)
    await cluster.whenStable(15_000)
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

async function join(nodes: readonly RedisServer[], masters: number): Promise<void> {
  const [first, ...others] = nodes
  if (!first) throw new Error('a cluster needs at least one node')
  // Distinct epochs from the start, or the nodes would first have to resolve conflicts.
  await Promise.all(nodes.map((node, n) => node.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1)))
  await Promise.all(
    nodes.slice(0, masters).map((node, n) => {
      const from = Math.floor((slotCount * n) / masters)
      const to = Math.floor((slotCount * (n + 1)) / masters)
      return node.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, i) => from + i))
    }),
  )
  for (const node of others) await first.call('CLUSTER', 'MEET', node.host, node.port)
  await Promise.all(
    nodes.slice(masters).map(async (replica, n) => {
      const master = nodes[n % masters]
      if (!master) return
      const masterId = String(await master.call('CLUSTER', 'MYID'))
      // It must know its master first, through gossip.
      await until(async () => (await replica.call('CLUSTER', 'REPLICATE', masterId)) === 'OK', {
        what: `${replica.url} to know its master`,
      })
      await whenFollowing(replica)
    }),
  )
}

class LocalCluster implements RedisCluster {
  readonly nodes: readonly RedisServer[]
  readonly #masters: number

  constructor(nodes: readonly RedisServer[], masters: number) {
    this.nodes = nodes
    this.#masters = masters
  }

  get startupNodes(): { host: string; port: number }[] {
    return this.nodes.map(({ host, port }) => ({ host, port }))
  }

  async masterOf(keyOrSlot: string | number): Promise<RedisServer> {
    const { master } = await this.#find(keyOrSlot)
    return this.#server(master)
  }

  async replicaOf(keyOrSlot: string | number): Promise<RedisServer> {
    const { master, view } = await this.#find(keyOrSlot)
    const replica = view.find((node) => node.masterId === master.id && !node.failed)
    if (!replica) throw new Error(`the master at port ${String(master.port)} has no replica`)
    return this.#server(replica)
  }

  async failover(keyOrSlot: string | number): Promise<RedisServer> {
    const replica = await this.replicaOf(keyOrSlot)
    const hasTakenOver = async () => (await this.masterOf(keyOrSlot)) === replica
    await until(
      async () => {
        // A node abandons the failover after five seconds; one that has taken over rejects the command.
        await replica.call('CLUSTER', 'FAILOVER').catch(() => undefined)
        return until(hasTakenOver, { what: 'it' }).catch(() => false)
      },
      { what: `${replica.url} to take over` },
    )
    await this.whenStable()
    return replica
  }

  async whenStable(timeoutMs = 60_000): Promise<void> {
    const running = this.nodes.filter((node) => node.pid !== null)
    await until(async () => (await Promise.all(running.map((node) => this.#isStable(node)))).every(Boolean), {
      what: 'all nodes to report the cluster state ok',
      timeoutMs,
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #isStable(node: RedisServer): Promise<boolean> {
    if (!/^cluster_state:ok/m.test(String(await node.call('CLUSTER', 'INFO')))) return false
    const view = await viewOf(node)
    const alive = view.filter(({ failed }) => !failed)
    // Nodes that saw another one fail still mark it as failed for a while after it came back.
    const running = this.nodes.filter(({ pid }) => pid !== null)
    if (!running.every(({ port }) => alive.some((seen) => seen.port === port))) return false
    const serving = alive.filter(({ role, slots }) => role === 'master' && slots.length > 0)
    const following = alive.filter(({ masterId }) => serving.some(({ id }) => id === masterId))
    // A demoted master is neither until it learns of its demotion.
    const settled = serving.length + following.length === alive.length
    return settled && serving.length === this.#masters && view.length === this.nodes.length
  }

  /**
   * Each node's view of the others lags behind; the master's own claim on its slots is authoritative.
   * The first such claim wins, so a frozen node causes no delay.
   */
  async #find(keyOrSlot: string | number): Promise<{ master: ClusterNode; view: ClusterNode[] }> {
    const running = this.nodes.filter((node) => node.pid !== null)
    const slot = typeof keyOrSlot === 'number' ? keyOrSlot : await this.#slotOf(keyOrSlot, running)
    const claims = running.map(async (node) => {
      const view = await viewOf(node)
      const master = view.find(
        ({ myself, role, slots }) =>
          myself && role === 'master' && slots.some(({ from, to }) => from <= slot && slot <= to),
      )
      if (!master) throw new Error(`${node.url} does not serve slot ${String(slot)}`)
      return { master, view }
    })
    return Promise.any(claims)
  }

  async #slotOf(key: string, running: readonly RedisServer[]): Promise<number> {
    return Number(await Promise.any(running.map((node) => node.call('CLUSTER', 'KEYSLOT', key))))
  }

  #server(node: ClusterNode): RedisServer {
    const server = this.nodes.find(({ port }) => port === node.port)
    if (!server) throw new Error(`no node of this cluster has port ${String(node.port)}`)
    return server
  }
}

async function viewOf(node: RedisServer): Promise<ClusterNode[]> {
  return parseClusterNodes(String(await node.call('CLUSTER', 'NODES')))
}
