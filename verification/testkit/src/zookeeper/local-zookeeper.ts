import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { guard, type ScratchFolder } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'
import { fourLetters } from './four-letters.js'

const host = '127.0.0.1'

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
export interface Member {
  readonly id: number
  readonly lines: readonly string[]
}

export interface LocalZooKeeperOptions {
  readonly classPath: string
  readonly folder: ScratchFolder
  readonly port: number
  readonly member?: Member | undefined
}

export interface LaunchOptions {
  /** Of one that is alone: without what it had written, as a new one. @defaultValue true */
  readonly keepData?: boolean
}

/** A server whose files are in a folder of its own. */
export class LocalZooKeeper implements AsyncDisposable {
  readonly host = host
  readonly port: number
  readonly #classPath: string
  readonly #folder: ScratchFolder
  readonly #member: Member | undefined
  #child: ChildProcess | undefined

  constructor({ classPath, folder, port, member }: LocalZooKeeperOptions) {
    this.#classPath = classPath
    this.#folder = folder
    this.#member = member
    this.port = port
  }

  /** For the option `connect` of a client. */
  get connect(): string {
    return `${this.host}:${this.port}`
  }

  /** What it replies to a word of four letters, such as `mntr`. */
  ask(word: string): Promise<string> {
    return fourLetters(this.port, word)
  }

  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8')
  }

  /** Resolves when it serves clients. */
  async start(options?: LaunchOptions): Promise<void> {
    await this.launch(options)
    await this.untilServing()
  }

  /** Starts the process. A member of an ensemble serves once there are enough of them. */
  async launch({ keepData = true }: LaunchOptions = {}): Promise<void> {
    if (!keepData) await rm(this.#data, { recursive: true, force: true })
    await this.#configure()
    const log = await open(this.#logPath, 'a')
    try {
      const main = this.#member ? 'quorum.QuorumPeerMain' : 'ZooKeeperServerMain'
      const args = [...javaOptions, '-cp', this.#classPath, `org.apache.zookeeper.server.${main}`]
      const child = spawn('java', [...args, this.#configPath], {
        cwd: this.#folder.path,
        stdio: ['ignore', log.fd, log.fd],
      })
      this.#child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
    } finally {
      await log.close()
    }
  }

  async untilServing(): Promise<void> {
    const isServing = async (): Promise<boolean> =>
      !this.#child || !isRunning(this.#child) || (await this.ask('srvr')).includes('Mode:')
    await until(isServing, { what: `ZooKeeper on port ${this.port} to serve`, everyMs: 30 })
    if (this.#child && isRunning(this.#child)) return
    throw new Error(`ZooKeeper on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
  }

  /** Ends it with SIGKILL, as a machine that fails; `start` brings it back with what it had written. */
  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
    this.#child = undefined
  }

  /** Freezes it: the system still accepts connections and bytes for it. */
  async freeze(): Promise<void> {
    if (this.#child) await freezeProcess(this.#child)
  }

  thaw(): void {
    if (this.#child) thawProcess(this.#child)
  }

  /** Stops it permanently and removes its files. A second call does nothing. */
  async stop(): Promise<void> {
    await this.kill()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #configure(): Promise<void> {
    const data = this.#data
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
      ...(this.#member ? [] : [`clientPort=${this.port}`, `clientPortAddress=${host}`]),
    ]
    await writeFile(this.#configPath, `${lines.join('\n')}\n`)
  }

  get #data(): string {
    return join(this.#folder.path, 'data')
  }

  get #configPath(): string {
    return join(this.#folder.path, 'zoo.cfg')
  }

  get #logPath(): string {
    return join(this.#folder.path, 'zookeeper.log')
  }
}
