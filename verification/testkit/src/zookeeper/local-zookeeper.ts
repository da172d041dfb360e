import { existsSync, realpathSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freePort } from '../free-port.js'
import { NoServerError } from '../find/open-server.js'
import { onPath } from '../find/probe-binary.js'
import {
  freePlace,
  LocalServer,
  loopback,
  startServer,
  startServers,
  type Launch,
  type Place,
} from '../server/local-server.js'
import { fourLetters } from './four-letters.js'

/** How to get one. */
export const zooKeeperKind = {
  product: 'ZooKeeper',
  variable: ['ZOOKEEPER_CONNECT', '127.0.0.1:2181'],
  names: ['zookeeper', 'zookeeper', 'zkServer.sh and java'],
} as const

/** Debian's package, whose manifest names what else it needs. */
const debianJar = '/usr/share/java/zookeeper.jar'

/** What `java -cp` takes to run a server; `null`: there is none. */
export function findZooKeeper(): string | null {
  if (onPath('java').length === 0) return null
  // Beside the scripts of a release are its jars.
  const homes = onPath('zkServer.sh').map((path) => dirname(dirname(realpathSync(path))))
  const home = homes.find((each) => existsSync(join(each, 'lib')))
  if (home !== undefined) return [join(home, 'lib', '*'), join(home, '*')].join(':')
  return existsSync(debianJar) ? debianJar : null
}

/** Small and quick to start. */
const javaOptions = [
  '-Xmx256m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-Dzookeeper.extendedTypesEnabled=true',
  '-Dznode.container.checkIntervalMs=1000',
  '-Dzookeeper.4lw.commands.whitelist=*',
  '-Dzookeeper.admin.enableServer=false',
]

/** The `tickTime` of servers for tests, milliseconds: engines on them are told the same. */
export const zooKeeperTickMs = 50

/** One member of an ensemble, as `zoo.cfg` names it; of one that is alone there is no need to. */
interface Member {
  readonly id: number
  readonly lines: readonly string[]
}

/** A private ZooKeeper for a test, alone or one of an ensemble. */
export class LocalZooKeeper extends LocalServer {
  readonly #classPath: string
  readonly #member: Member | undefined

  constructor(classPath: string, place: Place, member?: Member) {
    super('ZooKeeper', place)
    this.#classPath = classPath
    this.#member = member
  }

  /** For the option `connect` of a client. */
  get connect(): string {
    return `${loopback}:${this.port}`
  }

  /** What it replies to a word of four letters, such as `mntr`. */
  ask(word: string): Promise<string> {
    return fourLetters(this.port, word)
  }

  protected async command(): Promise<Launch> {
    const data = this.dataPath
    await mkdir(data, { recursive: true })
    if (this.#member) await writeFile(join(data, 'myid'), String(this.#member.id))
    const lines = [
      `dataDir=${data}`,
      `tickTime=${zooKeeperTickMs}`,
      `minSessionTimeout=${2 * zooKeeperTickMs}`,
      'maxSessionTimeout=120000',
      'maxClientCnxns=0',
      'initLimit=200',
      'syncLimit=100',
      ...(this.#member ? ['standaloneEnabled=false', ...this.#member.lines] : []),
      ...(this.#member ? [] : [`clientPort=${this.port}`, `clientPortAddress=${loopback}`]),
    ]
    const config = join(this.folder.path, 'zoo.cfg')
    await writeFile(config, `${lines.join('\n')}\n`)
    const main = this.#member ? 'quorum.QuorumPeerMain' : 'ZooKeeperServerMain'
    const args = [...javaOptions, '-cp', this.#classPath, `org.apache.zookeeper.server.${main}`, config]
    return { program: 'java', args }
  }

  protected async isServing(): Promise<boolean> {
    return (await this.ask('srvr')).includes('Mode:')
  }
}

/**
 * Starts a server on loopback; resolves when it serves clients. Ignores ZOOKEEPER_CONNECT: tests must not stop that one.
 *
 * Uses `zkServer.sh` on PATH, else Debian's package if it is installed. Throws `NoServerError` if there is neither.
 */
export async function startZooKeeper(): Promise<LocalZooKeeper> {
  const classPath = findZooKeeper()
  if (classPath === null) throw new NoServerError(zooKeeperKind)
  return startServer((place) => Promise.resolve(new LocalZooKeeper(classPath, place)))
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
  if (classPath === null) throw new NoServerError(zooKeeperKind)
  const servers = await startServers(async () => {
    const places = await Promise.all(Array.from({ length: size }, freePlace))
    const lines = await Promise.all(
      places.map(async ({ port }, i) => {
        const [peer, election] = [await freePort(), await freePort()]
        return `server.${i + 1}=${loopback}:${peer}:${election};${loopback}:${port}`
      }),
    )
    return places.map((place, i) => new LocalZooKeeper(classPath, place, { id: i + 1, lines }))
  })
  return new ZooKeeperEnsemble(servers)
}
