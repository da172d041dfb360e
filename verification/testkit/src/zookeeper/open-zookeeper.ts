import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { openFirst, stopping, type Step } from '../find/open-first.js'
import { findZooKeeper, NoZooKeeperError } from './find-zookeeper.js'
import { startZooKeeper } from './start-zookeeper.js'

/** A ZooKeeper from any source. */
export interface OpenedZooKeeper {
  /** For the option `connect` of a client. */
  readonly connect: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

const image = 'zookeeper:3.9'

/**
 * The ensemble that ZOOKEEPER_CONNECT names, else the first that a step opens: a server of the programs on this machine, or a container if
 * Docker is running. For tests that stop nothing.
 */
export async function openZooKeeper(
  steps: readonly Step<OpenedZooKeeper>[] = [zooKeeperFromPrograms, zooKeeperFromDocker],
): Promise<OpenedZooKeeper> {
  const connect = process.env['ZOOKEEPER_CONNECT']
  if (connect) return { connect, origin: 'ZOOKEEPER_CONNECT', stop: () => Promise.resolve() }
  return openFirst(steps, (details) => new NoZooKeeperError(details))
}

/** Java, and `zkServer.sh` on PATH or Debian's package. */
export async function zooKeeperFromPrograms(): Promise<OpenedZooKeeper | null> {
  if (findZooKeeper() === null) return null
  const server = await startZooKeeper()
  return { connect: server.connect, origin: 'programs of this machine', stop: () => server.stop() }
}

export async function zooKeeperFromDocker(): Promise<OpenedZooKeeper | null> {
  if (!(await dockerReplies())) return null
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(image)
    .withExposedPorts(2181)
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  return {
    connect: `${container.getHost()}:${container.getMappedPort(2181)}`,
    origin: 'a Docker container',
    stop: stopping(container),
  }
}
