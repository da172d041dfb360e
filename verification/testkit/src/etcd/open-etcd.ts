import { openServer, type OpenedServer, type Step } from '../find/open-server.js'
import { etcdKind, findEtcd, startEtcd } from './etcd-server.js'

/** The program on PATH. */
const program: Step = async () => {
  const origin = findEtcd()
  if (origin === null) return null
  const server = await startEtcd()
  return { url: server.url, origin, stop: () => server.stop() }
}

/** The server that ETCD_URL names, or a server of its own. Tests on it keep to a prefix of their own. */
export const openEtcd = (): Promise<OpenedServer> => openServer(etcdKind, program)
