import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { openFirst, stopping, type Step } from '../find/open-first.js'
import { findEtcd, NoEtcdError } from './find-etcd.js'
import { startEtcd } from './start-etcd.js'

/** An etcd from any source, which others may use too: tests on it keep to a prefix of their own. */
export interface OpenedEtcd {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

const image = 'quay.io/coreos/etcd:v3.5.21'

/**
 * The server that ETCD_URL names, else the first that a step opens: a container if Docker is running, the program on this machine.
 *
 * A source that does not start is skipped, except for ETCD_URL: if set, it names the only server to use. Throws {@link NoEtcdError}
 * with the failures as its cause.
 */
export async function openEtcd(
  steps: readonly Step<OpenedEtcd>[] = [etcdFromDocker, etcdFromProgram],
): Promise<OpenedEtcd> {
  const url = process.env['ETCD_URL']
  if (url) return { url, origin: 'ETCD_URL', stop: () => Promise.resolve() }
  return openFirst(steps, (details) => new NoEtcdError(details))
}

export async function etcdFromDocker(): Promise<OpenedEtcd | null> {
  if (!(await dockerReplies())) return null
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  const listen = 'http://0.0.0.0:2379'
  const container = await new GenericContainer(image)
    .withCommand(['etcd', '--listen-client-urls', listen, '--advertise-client-urls', listen])
    .withExposedPorts(2379)
    .withWaitStrategy(Wait.forHttp('/health', 2379))
    .start()
  const url = `http://${container.getHost()}:${container.getMappedPort(2379)}`
  return { url, origin: 'a Docker container', stop: stopping(container) }
}

/** The program on PATH. */
export async function etcdFromProgram(): Promise<OpenedEtcd | null> {
  const program = findEtcd()
  if (program === null) return null
  const server = await startEtcd()
  return { url: server.url, origin: program, stop: () => server.stop() }
}
