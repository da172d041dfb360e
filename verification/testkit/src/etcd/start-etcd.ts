import type { EtcdServer, StartEtcdOptions } from './etcd-server.js'
import { findEtcd, NoEtcdError } from './find-etcd.js'
import { freeEtcdPorts, LocalEtcd } from './local-etcd.js'

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/**
 * Starts a server of its own; resolves when it replies.
 *
 * Uses the program on PATH. Throws {@link NoEtcdError} if there is none. Ignores ETCD_URL: tests must not crash that server.
 */
export async function startEtcd(options: StartEtcdOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options)
  if (!server) throw new NoEtcdError()
  return server
}

/** Starts several servers as one cluster; resolves when all of them know its leader. */
export async function startEtcdCluster(size: number, options: StartEtcdOptions = {}): Promise<EtcdServer[]> {
  const program = findEtcd()
  if (program === null) throw new NoEtcdError()
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const names = Array.from({ length: size }, (_, n) => `etcd-${n + 1}`)
    const ports = await Promise.all(names.map(freeEtcdPorts))
    const servers = await Promise.all(ports.map((each) => LocalEtcd.create(program, each, ports, options)))
    try {
      await Promise.all(servers.map((server) => server.launch()))
      await Promise.all(servers.map((server) => server.untilReady()))
      return servers
    } catch (error) {
      const logs = await Promise.all(servers.map((server) => server.log().catch(() => '')))
      await Promise.all(servers.map((server) => server.stop()))
      const isPortTaken = logs.some((log) => log.includes('address already in use'))
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}
