import { inContainer, openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { findZooKeeper, startZooKeeper, zooKeeperKind } from './local-zookeeper.js'

const container = inContainer({ image: 'zookeeper:3.9', port: 2181, urlOf: (address) => address })

/** Java, and `zkServer.sh` on PATH or Debian's package. */
const programs: Step = async () => {
  if (findZooKeeper() === null) return null
  const server = await startZooKeeper()
  return { url: server.connect, origin: 'programs of this machine', stop: () => server.stop() }
}

/** The ensemble that ZOOKEEPER_CONNECT names, a server of its own, or a container: where it is, for the option `connect` of a client. */
export const openZooKeeper = (steps: readonly Step[] = [programs, container]): Promise<OpenedServer> =>
  openServer(zooKeeperKind, steps)
