import { inContainer, openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { etcdKind, findEtcd, startEtcd } from './etcd-server.js'

const listen = 'http://0.0.0.0:2379'

const container = inContainer({
  image: 'quay.io/coreos/etcd:v3.5.21',
  port: 2379,
  urlOf: (address) => `http://${address}`,
  prepare: (plain, wait) =>
    plain
      .withCommand(['etcd', '--listen-client-urls', listen, '--advertise-client-urls', listen])
      .withWaitStrategy(wait.forHttp('/health', 2379)),
})

/** The program on PATH. */
const program: Step = async () => {
  const origin = findEtcd()
  if (origin === null) return null
  const server = await startEtcd()
  return { url: server.url, origin, stop: () => server.stop() }
}

/** The server that ETCD_URL names, a container, or a server of its own. Tests on it keep to a prefix of their own. */
export const openEtcd = (steps: readonly Step[] = [container, program]): Promise<OpenedServer> =>
  openServer(etcdKind, steps)
