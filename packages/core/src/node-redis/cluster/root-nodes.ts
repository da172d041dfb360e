import type { RedisAddress } from '../../index.js'
import { InvalidArgumentError, urlMistake } from '../../engine/index.js'
import type { GivenOptions } from '../link/link-options.js'

/** A node to ask where the others are, and how to connect to it. */
export interface RootNode {
  readonly address: RedisAddress
  readonly options: GivenOptions
}

/** Where a root node is, with the defaults that it does not override. */
export function rootNodeOf(given: GivenOptions, defaults: GivenOptions): RootNode {
  const own = given.url === undefined ? given : { ...given, ...readUrl(given.url) }
  const socket = { ...defaults.socket, ...given.socket, ...own.socket }
  const { host = '127.0.0.1', port = 6379 } = socket
  return { address: { host, port }, options: { ...defaults, ...own, socket } }
}

function readUrl(text: string): GivenOptions {
  if (!/^rediss?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError(`the url of a root node is not a valid URL: ${urlMistake(text)}`)
  }
  const { hostname, port, username, password, protocol } = new URL(text)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    socket: { host, port: port === '' ? 6379 : Number(port), ...(protocol === 'rediss:' && { tls: true }) },
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
}

/** Options for the nodes that the cluster reports: the defaults, with the credentials of a root node if they have none. */
export function nodeOptionsOf(roots: readonly RootNode[], defaults: GivenOptions): GivenOptions {
  if (hasCredentials(defaults)) return defaults
  const [root] = roots.filter(({ options }) => hasCredentials(options))
  if (!root) return withTlsOf(roots, defaults)
  const { username, password, credentialsProvider } = root.options
  return { ...withTlsOf(roots, defaults), username, password, credentialsProvider }
}

/** Nodes of one cluster speak TLS alike. */
function withTlsOf([root]: readonly RootNode[], defaults: GivenOptions): GivenOptions {
  const tls = root?.options.socket?.tls
  if (tls === undefined || defaults.socket?.tls !== undefined) return defaults
  return { ...defaults, socket: { ...defaults.socket, tls } }
}

const hasCredentials = ({ username, password, credentialsProvider }: GivenOptions): boolean =>
  (username ?? password ?? credentialsProvider) !== undefined
