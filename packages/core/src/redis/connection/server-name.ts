/** How many of several addresses a message lists. */
const maxListed = 3

/** Names what an ioredis client connects to, for messages. Never contains a user or a password. */
export function serverName(client: object): string {
  const nodes = fieldOf(client, 'startupNodes')
  if (Array.isArray(nodes)) return `Redis Cluster at ${listed(nodes, 6379)}`
  const options = fieldOf(client, 'options')
  const sentinels = fieldOf(options, 'sentinels')
  if (Array.isArray(sentinels)) {
    return `Redis master ${wordAt(options, 'name') ?? ''} of Sentinel at ${listed(sentinels, 26379)}`
  }
  const tls = fieldOf(options, 'tls') ? ' (TLS)' : ''
  return `Redis at ${wordAt(options, 'path') ?? addressOf(options, 6379)}${tls}`
}

function listed(nodes: readonly unknown[], defaultPort: number): string {
  const addresses = nodes.slice(0, maxListed).map((node) => addressOf(node, defaultPort))
  const more = nodes.length - addresses.length
  return addresses.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** @param node - as ioredis takes it: a port, a URL, or an object with host and port */
function addressOf(node: unknown, defaultPort: number): string {
  if (typeof node === 'object') {
    return `${wordAt(node, 'host') ?? '127.0.0.1'}:${wordAt(node, 'port') ?? defaultPort}`
  }
  if (typeof node === 'number') return `127.0.0.1:${node}`
  if (typeof node !== 'string') return unreadable
  if (/^\d+$/.test(node)) return `127.0.0.1:${node}`
  const url = node.includes('://') ? node : `redis://${node}`
  if (!URL.canParse(url)) return unreadable
  const { hostname, port } = new URL(url)
  return `${hostname}:${port === '' ? defaultPort : port}`
}

const unreadable = 'an unreadable address'

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const field: unknown = Reflect.get(value, name)
  return field
}

function wordAt(value: unknown, name: string): string | number | undefined {
  const word = fieldOf(value, name)
  return typeof word === 'string' || typeof word === 'number' ? word : undefined
}
