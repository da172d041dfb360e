import { freePort } from '../free-port.js'
import { scratchFolder } from '../process/reaper.js'
import { findZooKeeper, NoZooKeeperError } from './find-zookeeper.js'
import { LocalZooKeeper } from './local-zookeeper.js'

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/**
 * Starts a server on loopback; resolves when it serves clients. Ignores ZOOKEEPER_CONNECT: tests must not stop that one.
 *
 * Uses `zkServer.sh` on PATH, else Debian's package if it is installed. Throws {@link NoZooKeeperError} if there is neither.
 */
export async function startZooKeeper(): Promise<LocalZooKeeper> {
  const classPath = findZooKeeper()
  if (classPath === null) throw new NoZooKeeperError()
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const server = new LocalZooKeeper({ classPath, folder: await scratchFolder(), port: await freePort() })
    try {
      await server.start()
      return server
    } catch (error) {
      const isPortTaken = (await server.log().catch(() => '')).includes('Address already in use')
      await server.stop()
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}

/** Several servers that elect a leader. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  readonly servers: readonly LocalZooKeeper[]

  constructor(servers: readonly LocalZooKeeper[]) {
    this.servers = servers
  }

  /** For the option `connect` of a client. */
  get connect(): string {
    return this.servers.map(({ connect }) => connect).join(',')
  }

  async leader(): Promise<LocalZooKeeper> {
    for (const server of this.servers) {
      if ((await server.ask('srvr')).includes('Mode: leader')) return server
    }
    throw new Error('the ensemble has no leader')
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Starts so many servers; resolves when all of them serve clients. */
export async function startZooKeeperEnsemble(size = 3): Promise<ZooKeeperEnsemble> {
  const classPath = findZooKeeper()
  if (classPath === null) throw new NoZooKeeperError()
  const ports = await Promise.all(
    Array.from({ length: size }, async () => [await freePort(), await freePort(), await freePort()] as const),
  )
  const lines = ports.map(
    ([client, peer, election], i) => `server.${i + 1}=127.0.0.1:${peer}:${election};127.0.0.1:${client}`,
  )
  const servers = await Promise.all(
    ports.map(async ([port], i) => {
      const member = { id: i + 1, lines }
      return new LocalZooKeeper({ classPath, folder: await scratchFolder(), port, member })
    }),
  )
  const ensemble = new ZooKeeperEnsemble(servers)
  try {
    await Promise.all(servers.map((server) => server.launch()))
    await Promise.all(servers.map((server) => server.untilServing()))
    return ensemble
  } catch (error) {
    await ensemble.stop()
    throw error
  }
}
