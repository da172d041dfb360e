import { openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { findMemcached, memcachedKind } from './find-memcached.js'
import { startMemcached } from './memcached-server.js'

/** The program on PATH, or that of Debian's package. */
const program: Step = async () => {
  const server = await startMemcached()
  return { url: server.url, origin: (await findMemcached()).path, stop: () => server.stop() }
}

/** The server that MEMCACHED_URL names, or a server of its own. Tests on it keep to a prefix of their own. */
export const openMemcached = (): Promise<OpenedServer> => openServer(memcachedKind, program)
