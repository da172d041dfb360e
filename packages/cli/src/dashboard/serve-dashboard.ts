import { once } from 'node:events'
import { createServer } from 'node:http'
import { isIP, type AddressInfo } from 'node:net'
import { hostname, userInfo } from 'node:os'
import { InvalidArgumentError } from '@holdfast/core'
import { checkObject, checkOptions, kindOf, shown } from '@holdfast/core/engine'
import { checkType } from './checks.js'
import { createDashboard } from './dashboard.js'
import type { DashboardOptions } from './options.js'
import { AllowedHosts } from './http/allowed-hosts.js'
import { exchangeOfNode, replyToNode } from './http/node-adapter.js'
import { newToken, TokenGate } from './token-gate.js'

/** Whoever reaches the port can connect, also without the token: that must not use up the files that this process may open. */
const mostConnections = 256

/** Options of `serveDashboard`. */
export interface ServeOptions extends Pick<DashboardOptions, 'holdfast' | 'readOnly' | 'audit'> {
  /** The address to listen on. @defaultValue '127.0.0.1' */
  readonly host?: string | undefined
  /** The port to listen on; 0 takes a free one. @defaultValue 0 */
  readonly port?: number | undefined
  /** The token that opens the dashboard: 16 or more characters of `A-Z a-z 0-9 - _`. A random one by default. */
  readonly token?: string | undefined
  /**
   * Names under which browsers reach it, without ports, besides `localhost`, `host` and all IP addresses: behind a proxy, for example.
   * Requests with another `Host` header get status 421.
   *
   * @defaultValue none
   */
  readonly allowedHosts?: readonly string[] | undefined
}

const known: Record<keyof ServeOptions, true> = {
  holdfast: true,
  readOnly: true,
  audit: true,
  host: true,
  port: true,
  token: true,
  allowedHosts: true,
}

/** A dashboard with a server of its own. */
export interface ServedDashboard {
  /**
   * The address to open. Its fragment contains the token, and so permits everything that this dashboard can do. Programs send the token as
   * `Authorization: Bearer …`.
   */
  readonly url: string
  /** Ends all connections and frees the port. Leaves the client open. May be called twice. */
  close(): Promise<void>
}

/**
 * Serves a dashboard on a port of this machine to all who know its token. With `readOnly: false` they may evict holders, in the
 * name of the user that this process runs as.
 *
 * Rejects if the port is taken, and with `InvalidArgumentError` for a bad option.
 */
export async function serveDashboard(options: ServeOptions): Promise<ServedDashboard> {
  checkObject(options, '; pass serveDashboard({ holdfast })')
  checkOptions(options, new Set(Object.keys(known)), '; createDashboard takes authorize')
  const { host = '127.0.0.1', port = 0, token = newToken(), allowedHosts = [], ...rest } = options
  if (!/^[\w-]{16,}$/.test(token)) {
    throw new InvalidArgumentError(
      `token must be 16 or more characters of A-Z a-z 0-9 - _, got ${kindOf(token)}${lengthOf(token)}`,
    )
  }
  checkType('host', host, 'string')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError(`port must be an integer from 0 to 65535, got ${shown(port)}`)
  }
  const user = `${nameOfUser()}@${hostname()}`
  const dashboard = createDashboard({ ...rest, authorize: () => user })
  const hosts = new AllowedHosts({
    names: ['localhost', ...namesOf(host), ...allowedHosts],
    anyAddress: true,
  })
  const gate = new TokenGate(token)
  const server = createServer((request, response) => {
    const exchange = exchangeOfNode(request)
    const refused = hosts.refusal(exchange) ?? gate.refusal(exchange)
    if (refused) replyToNode(response, refused, request.method !== 'HEAD')
    else dashboard.node(request, response)
  })
  server.maxConnections = mostConnections
  server.listen(port, host)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}/#token=${token}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** The token itself is a secret. */
const lengthOf = (token: string): string => (typeof token === 'string' ? ` of ${token.length}` : '')

/** Addresses are allowed anyway, and one with a zone is not a name. */
const namesOf = (host: string): string[] => (isIP(host) === 0 ? [host] : [])

/** Some containers run as a user without a name. */
function nameOfUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
