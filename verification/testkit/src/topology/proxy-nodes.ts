import { startProxy, type FaultProxy } from '../faults/proxy.js'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Fault proxies in front of several servers, one each, for the connections of one client.
 *
 * Clients find Cluster nodes, and the masters that Sentinels name, by their announced addresses: with `natMap`, ioredis
 * translates those to the proxies'. To cut off a single client, open a set for that client alone.
 */
export interface ProxiedNodes extends AsyncDisposable {
  /** In the order of the servers. */
  readonly proxies: readonly FaultProxy[]
  /** For ioredis's option of that name, of a Cluster and of Sentinels alike: from `host:port` of a server to its proxy. */
  readonly natMap: Readonly<Record<string, { host: string; port: number }>>
  /** The proxies, as the startup nodes of a cluster client. */
  readonly startupNodes: readonly { readonly host: string; readonly port: number }[]
  /** The number of client connections now open through any of the proxies. */
  readonly connections: number
  /** The proxy in front of that server. */
  proxyOf(server: Address): FaultProxy
  /** The URL of the proxy in front of that server. */
  urlOf(server: Address): string
  /** Applies an action to every proxy: `proxies.all((proxy) => proxy.blackHole('both'))`. */
  all(act: (proxy: FaultProxy) => void | Promise<void>): Promise<void>
  /** Closes the proxies and all connections through them. A second call does nothing. */
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
    if (!proxy) throw new Error(`no proxy in front of ${addressOf(server)}`)
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
