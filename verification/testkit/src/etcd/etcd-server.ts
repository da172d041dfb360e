import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { freePort } from '../free-port.js'
import { NoServerError } from '../find/open-server.js'
import { onPath } from '../find/probe-binary.js'
import {
  freePlace,
  LocalServer,
  loopback,
  startServers,
  type Launch,
  type LaunchOptions,
  type Place,
} from '../server/local-server.js'

/** How to get one. */
export const etcdKind = {
  product: 'etcd',
  variable: ['ETCD_URL', 'http://127.0.0.1:2379'],
  names: ['etcd', 'etcd-server', 'etcd'],
} as const

/** The program `etcd`, on PATH. `null` if there is none. */
export const findEtcd = (): string | null => onPath('etcd')[0] ?? null

export interface RestartEtcdOptions extends LaunchOptions {
  /** Do not wait until it replies: of a cluster it does when a majority is there. @defaultValue false */
  readonly isAsync?: boolean
}

export interface StartEtcdOptions {
  /** More arguments, such as `['--auto-compaction-mode=revision']`. */
  readonly args?: readonly string[]
  /** Files of a certificate and its key: the server speaks TLS to clients. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly ca: string }
}

interface Member extends Place {
  readonly name: string
  readonly peerUrl: string
}

/** A private etcd for a test, alone or one of a cluster. */
export class EtcdServer extends LocalServer {
  /** Such as `http://127.0.0.1:2379`. */
  readonly url: string
  readonly #program: string
  readonly #member: Member
  readonly #cluster: readonly Member[]
  readonly #options: StartEtcdOptions

  /** @param cluster - all servers of it, this one included */
  constructor(program: string, member: Member, cluster: readonly Member[], options: StartEtcdOptions) {
    super('etcd', member)
    this.#program = program
    this.#member = member
    this.#cluster = cluster
    this.#options = options
    this.url = `${options.tls ? 'https' : 'http'}://${loopback}:${this.port}`
  }

  /** A new process on the same port, after the old one was killed. Resolves when it replies. */
  async restart({ isAsync = false, ...options }: RestartEtcdOptions = {}): Promise<void> {
    await this.kill()
    await this.launch(options)
    if (!isAsync) await this.untilServing()
  }

  protected command(): Launch {
    const { name, peerUrl } = this.#member
    const { tls, args = [] } = this.#options
    const cluster = this.#cluster.map((each) => `${each.name}=${each.peerUrl}`).join(',')
    return {
      program: this.#program,
      args: [
        ...['--name', name, '--data-dir', this.dataPath, '--logger', 'zap'],
        ...['--listen-client-urls', this.url, '--advertise-client-urls', this.url],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
        ...['--initial-cluster', cluster],
        ...(tls ? ['--cert-file', tls.certFile, '--key-file', tls.keyFile] : []),
        ...args,
      ],
    }
  }

  /** Whether it has a leader. */
  protected isServing(): Promise<boolean> {
    const { tls } = this.#options
    return new Promise((resolve) => {
      const options = { agent: false, timeout: 2_000 }
      const onReply = (reply: { statusCode?: number | undefined; resume(): void }): void => {
        reply.resume()
        resolve(reply.statusCode === 200)
      }
      const url = `${this.url}/health`
      const asked = tls
        ? requestTls(url, { ...options, ca: tls.ca }, onReply)
        : request(url, options, onReply)
      asked.once('timeout', () => asked.destroy())
      asked.once('error', () => resolve(false))
      asked.end()
    })
  }
}

/**
 * Starts a server of its own; resolves when it replies.
 *
 * Uses the program on PATH. Throws `NoServerError` if there is none. Ignores ETCD_URL: tests must not crash that server.
 */
export async function startEtcd(options: StartEtcdOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options)
  if (!server) throw new NoServerError(etcdKind)
  return server
}

/** Starts several servers as one cluster; resolves when all of them know its leader. */
export async function startEtcdCluster(
  size: number,
  options: StartEtcdOptions = {},
): Promise<readonly EtcdServer[]> {
  const program = findEtcd()
  if (program === null) throw new NoServerError(etcdKind)
  return startServers(async () => {
    const cluster = await Promise.all(
      Array.from({ length: size }, async (_, n) => ({
        ...(await freePlace()),
        name: `etcd-${n + 1}`,
        peerUrl: `http://${loopback}:${await freePort()}`,
      })),
    )
    return cluster.map((member) => new EtcdServer(program, member, cluster, options))
  })
}
