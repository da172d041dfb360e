import { startProxy, type FaultProxy } from '../faults/proxy.js'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * One client's links to several servers, each through a fault proxy of its own.
 *
 * Nodes of a Cluster and the masters that Sentinels name are found by the addresses they give: `natMap` has ioredis
 * turn those into the proxies'. For a client that is to be cut off alone, open a set for that client alone.
 */
export interface ProxiedNodes extends AsyncDisposable {
  /** In the order of the servers. */
  readonly proxies: readonly FaultProxy[]
  /** For ioredis's option of that name, of a Cluster and of Sentinels alike: from `host:port` of a server to its proxy. */
  readonly natMap: Readonly<Record<string, { host: string; port: number }>>
  /** The proxies as the nodes that a cluster client starts from. */
  readonly startupNodes: readonly { readonly host: string; readonly port: number }[]
  /** Client connections that are open through any of the proxies now. */
  readonly connections: number
  /** The proxy in front of that server. */
  proxyOf(server: Address): FaultProxy
  /** Where a client of that single server connects to. */
  urlOf(server: Address): string
  /** Does the same to every proxy: `links.all((proxy) => proxy.blackHole('both'))`. */
  all(act: (proxy: FaultProxy) => void | Promise<void>): Promise<void>
  /** Ends the proxies and all connections through them. A second call does nothing. */
  close(): Promise<void>
}

/** Opens one proxy in front of each server. */
export async function proxyNodes(servers: readonly Address[]): Promise<ProxiedNodes> {
  const byAddress = new Map<string, FaultProxy>()
  for (const server of servers) byAddress.set(addressOf(server), await startProxy(server))
  return new ProxySet(byAddress)
}

class ProxySet implements ProxiedNodes {
  readonly proxies: readonly FaultProxy[]
  readonly natMap: Readonly<Record<string, { host: string; port: number }>>
  readonly #byAddress: ReadonlyMap<string, FaultProxy>

  constructor(byAddress: ReadonlyMap<string, FaultProxy>) {
    this.#byAddress = byAddress
    this.proxies = [...byAddress.values()]
    this.natMap = Object.fromEntries(
      [...byAddress].map(([address, { host, port }]) => [address, { host, port }]),
    )
  }

  get startupNodes(): { host: string; port: number }[] {
    return this.proxies.map(({ host, port }) => ({ host, port }))
  }

  get connections(): number {
    return this.proxies.reduce((sum, proxy) => sum + proxy.connections, 0)
  }

  proxyOf(server: Address): FaultProxy {
    const proxy = this.#byAddress.get(addressOf(server))
    if (!proxy) throw new Error(`there is no proxy in front of ${addressOf(server)}`)
    return proxy
  }

  urlOf(server: Address): string {
    return this.proxyOf(server).url
  }

  async all(act: (proxy: FaultProxy) => void | Promise<void>): Promise<void> {
    await Promise.all(this.proxies.map(async (proxy) => act(proxy)))
  }

  async close(): Promise<void> {
    await this.all((proxy) => proxy.close())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function addressOf({ host, port }: Address): string {
  return `${host}:${String(port)}`
}
