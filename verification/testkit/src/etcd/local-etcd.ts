import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { join } from 'node:path'
import { freePort } from '../free-port.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'
import type { EtcdServer, RestartEtcdOptions, StartEtcdOptions } from './etcd-server.js'

const host = '127.0.0.1'

/** Ports of a server: for clients, and for other servers. */
export interface EtcdPorts {
  readonly name: string
  readonly port: number
  readonly peerPort: number
}

export const freeEtcdPorts = async (name: string): Promise<EtcdPorts> => ({
  name,
  port: await freePort(),
  peerPort: await freePort(),
})

/** A server whose files are in a folder of its own. */
export class LocalEtcd implements EtcdServer {
  readonly host = host
  readonly port: number
  readonly url: string
  readonly #program: string
  readonly #folder: ScratchFolder
  readonly #ports: EtcdPorts
  readonly #cluster: readonly EtcdPorts[]
  readonly #options: StartEtcdOptions
  #child: ChildProcess | undefined
  #isFrozen = false

  private constructor(
    program: string,
    folder: ScratchFolder,
    ports: EtcdPorts,
    cluster: readonly EtcdPorts[],
    options: StartEtcdOptions,
  ) {
    this.#program = program
    this.#folder = folder
    this.#ports = ports
    this.#cluster = cluster
    this.#options = options
    this.port = ports.port
    this.url = `${options.tls ? 'https' : 'http'}://${host}:${ports.port}`
  }

  /** @param cluster - all servers of it, this one included */
  static async create(
    program: string,
    ports: EtcdPorts,
    cluster: readonly EtcdPorts[],
    options: StartEtcdOptions,
  ): Promise<LocalEtcd> {
    return new LocalEtcd(program, await scratchFolder(), ports, cluster, options)
  }

  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8')
  }

  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
    this.#isFrozen = false
  }

  async freeze(): Promise<void> {
    if (!this.#child) return
    await freezeProcess(this.#child)
    this.#isFrozen = true
  }

  thaw(): void {
    if (this.#child && this.#isFrozen && isRunning(this.#child)) thawProcess(this.#child)
    this.#isFrozen = false
  }

  async restart({ keepData = true, isAsync = false }: RestartEtcdOptions = {}): Promise<void> {
    await this.kill()
    if (!keepData) await rm(this.#data, { recursive: true, force: true })
    await this.launch()
    if (!isAsync) await this.untilReady()
  }

  async stop(): Promise<void> {
    await this.kill()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Starts the process. */
  async launch(): Promise<void> {
    const { name, peerPort } = this.#ports
    const peer = `http://${host}:${peerPort}`
    const { tls, args = [] } = this.#options
    const log = await open(this.#logPath, 'a')
    try {
      const child = spawn(
        this.#program,
        [
          ...['--name', name, '--data-dir', this.#data, '--logger', 'zap'],
          ...['--listen-client-urls', this.url, '--advertise-client-urls', this.url],
          ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
          ...[
            '--initial-cluster',
            this.#cluster.map((each) => `${each.name}=http://${host}:${each.peerPort}`).join(','),
          ],
          ...(tls ? ['--cert-file', tls.certFile, '--key-file', tls.keyFile] : []),
          ...args,
        ],
        { cwd: this.#folder.path, stdio: ['ignore', log.fd, log.fd] },
      )
      this.#child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
    } finally {
      await log.close()
    }
  }

  /** Resolves when it has a leader. */
  async untilReady(): Promise<void> {
    const child = this.#child
    if (!child) throw new Error('etcd has not been launched')
    await until(async () => !isRunning(child) || (await this.#isHealthy()), {
      what: `etcd on port ${this.port} to reply`,
      everyMs: 50,
    })
    if (!isRunning(child)) {
      throw new Error(`etcd on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
    }
  }

  #isHealthy(): Promise<boolean> {
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

  get #data(): string {
    return join(this.#folder.path, 'data')
  }

  get #logPath(): string {
    return join(this.#folder.path, 'etcd.log')
  }
}
