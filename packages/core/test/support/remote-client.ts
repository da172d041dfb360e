import { RemoteClient } from '@holdfast/conformance'
import type { ClientOptions } from '../../src/index.js'
import { closeAfterTest } from './clients.js'

/** A client in a process of its own, which can be killed and frozen. `closeAll` ends it. Needs `npm run build` to have run. */
export async function forkClient(url: string, options: ClientOptions = {}): Promise<RemoteClient> {
  const { hostname: host, port } = new URL(url)
  const module = new URL('../conformance/workers/redis.mjs', import.meta.url)
  const argument = () => ({ driver: 'ioredis 6', reach: { server: { host, port: Number(port) } } })
  const client = await RemoteClient.fork({ module, argument }, options, 'lock')
  closeAfterTest(() => client.kill())
  return client
}
