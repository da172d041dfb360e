import { openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { findZooKeeper, startZooKeeper, zooKeeperKind } from './local-zookeeper.js'

/** Java, and `zkServer.sh` on PATH or Debian's package. */
const programs: Step = async () => {
  if (findZooKeeper() === null) return null
  const server = await startZooKeeper()
  return { url: server.connect, origin: 'programs of this machine', stop: () => server.stop() }
}

/** The ensemble that ZOOKEEPER_CONNECT names, or a server of its own: where it is, for the option `connect` of a client. */
export const openZooKeeper = (): Promise<OpenedServer> => openServer(zooKeeperKind, programs)
