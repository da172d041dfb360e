import type { ChildProcess } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisBinary } from '../find/redis-binary.js'
import { scratchFolder } from '../process/reaper.js'
import { isRunning } from '../process/signals.js'
import { answersPing } from './answers-ping.js'
import { LocalServer, loopback, startServer, type Launch, type Place } from './local-server.js'
import type { RedisServer, RestartOptions, StartRedisOptions } from './redis-server.js'
import { withRedis } from './with-redis.js'

/** The arguments of every server that we start, local or in a container. */
export function commonArgs(majorVersion: number): string[] {
  return [
    ...['--save', ''],
    ...['--appendonly', 'no'],
    // Replicas attach at once rather than after waiting five seconds for more of them.
    ...['--repl-diskless-sync', 'yes', '--repl-diskless-sync-delay', '0'],
    // Older servers refuse to start with an unknown option.
    ...(majorVersion >= 7 ? ['--enable-debug-command', 'local'] : []),
  ]
}

export async function startLocalRedis(binary: RedisBinary, options: StartRedisOptions): Promise<RedisServer> {
  const { port } = options
  if (port === undefined)
    return startServer((place) => Promise.resolve(new LocalRedis(binary, place, options)))
  const server = new LocalRedis(binary, { port, folder: await scratchFolder() }, options)
  try {
    await server.start()
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** What a server logs once it has the port and has loaded its data; of sentinels, what they begin with. */
const readyLine = /Ready to accept connections|Sentinel ID is/

class LocalRedis extends LocalServer implements RedisServer {
  readonly url: string
  readonly #binary: RedisBinary
  readonly #options: StartRedisOptions
  #stopped = false

  constructor(binary: RedisBinary, place: Place, options: StartRedisOptions) {
    super(binary.path, place)
    this.url = `redis://${loopback}:${String(place.port)}`
    this.#binary = binary
    this.#options = options
  }

  get pid(): number | null {
    return this.child && isRunning(this.child) ? (this.child.pid ?? null) : null
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return withRedis(this.url, (redis) => redis.call(command, ...args))
  }

  async runId(): Promise<string> {
    return readRunId(await this.call('INFO', 'server'))
  }

  override async stop(): Promise<void> {
    this.#stopped = true
    await super.stop()
  }

  override async freeze(): Promise<void> {
    this.#running('freeze')
    await super.freeze()
  }

  override thaw(): void {
    this.#running('thaw')
    super.thaw()
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    if (this.#stopped) throw new Error(`${this.url} was already stopped`)
    if (options.empty === false) await this.call('SAVE')
    await this.kill()
    // Recursive, since the fault that breaks snapshots puts a folder there.
    if (options.empty !== false) {
      await rm(join(this.folder.path, 'dump.rdb'), { force: true, recursive: true })
    }
    await this.start()
  }

  /** Only what it logs from now on says that it is ready. */
  override async launch(): Promise<void> {
    await rm(this.logPath, { force: true })
    await super.launch()
  }

  override untilServing(): Promise<void> {
    // A program that watches each instruction makes it some fifty times slower.
    return super.untilServing(this.#options.under ? 60_000 : 10_000)
  }

  protected command(): Launch {
    const { path, env, version } = this.#binary
    const { args = [], under = [] } = this.#options
    const own = ['--port', String(this.port), '--bind', loopback, '--dir', this.folder.path]
    // A file that grows past a limit ends a process unless the signal is ignored, and with exec the id is the server's.
    const shell = ['-c', `trap '' XFSZ; exec "$0" "$@"`, ...under, path]
    return { program: '/bin/sh', args: [...shell, ...own, ...commonArgs(version.major), ...args], env }
  }

  protected async isServing(): Promise<boolean> {
    // The port alone may be that of another server, until ours finds that it is taken.
    return readyLine.test(await readFile(this.logPath, 'utf8')) && (await answersPing(loopback, this.port))
  }

  #running(action: string): ChildProcess {
    if (this.child) return this.child
    throw new Error(`cannot ${action} ${this.url}: it is down`)
  }
}

export function readRunId(info: unknown): string {
  const runId = /^run_id:(\w+)/m.exec(String(info))?.[1]
  if (runId === undefined) throw new Error('INFO server names no run_id')
  return runId
}
