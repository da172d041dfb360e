import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisBinary } from '../find/redis-binary.js'
import { freePort } from '../free-port.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'
import { answersPing } from './answers-ping.js'
import type { RedisServer, RestartOptions, StartRedisOptions } from './redis-server.js'
import { withRedis } from './with-redis.js'

const host = '127.0.0.1'

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
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort())
    const folder = await scratchFolder()
    const server = new LocalRedis(binary, port, options, folder)
    try {
      await server.restart()
      return server
    } catch (error) {
      await server.stop()
      // Another process may have taken the port between our check and our start.
      const portTaken = error instanceof Error && error.message.includes('Address already in use')
      if (options.port !== undefined || !portTaken || attempt === 3) throw error
    }
  }
}

/** What a server logs once it has the port and has loaded its data; of sentinels, what they begin with. */
const readyLine = /Ready to accept connections|Sentinel ID is/

class LocalRedis implements RedisServer {
  readonly host = host
  readonly url: string
  readonly port: number
  readonly #binary: RedisBinary
  readonly #options: StartRedisOptions
  readonly #folder: ScratchFolder
  #child: ChildProcess | null = null
  #stopped = false

  constructor(binary: RedisBinary, port: number, options: StartRedisOptions, folder: ScratchFolder) {
    this.url = `redis://${host}:${String(port)}`
    this.port = port
    this.#binary = binary
    this.#options = options
    this.#folder = folder
  }

  get pid(): number | null {
    return this.#child && isRunning(this.#child) ? (this.#child.pid ?? null) : null
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return withRedis(this.url, (redis) => redis.call(command, ...args))
  }

  async runId(): Promise<string> {
    return readRunId(await this.call('INFO', 'server'))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.kill()
    await this.#folder.remove()
  }

  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
  }

  async freeze(): Promise<void> {
    await freezeProcess(this.#running('freeze'))
  }

  thaw(): Promise<void> {
    thawProcess(this.#running('thaw'))
    return Promise.resolve()
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    if (this.#stopped) throw new Error(`${this.url} was already stopped`)
    if (options.empty === false) await this.call('SAVE')
    await this.kill()
    // Recursive, since the fault that breaks snapshots puts a folder there.
    if (options.empty !== false) {
      await rm(join(this.#folder.path, 'dump.rdb'), { force: true, recursive: true })
    }
    await this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #running(action: string): ChildProcess {
    if (this.#child) return this.#child
    throw new Error(`cannot ${action} ${this.url}: it is down`)
  }

  async #start(): Promise<void> {
    const { path, env, version } = this.#binary
    const { args = [], under = [] } = this.#options
    const own = ['--port', String(this.port), '--bind', host, '--dir', this.#folder.path]
    const logPath = join(this.#folder.path, 'redis.log')
    // Logs go to a file: a pipe would keep this process busy and alive.
    const log = await open(logPath, 'w')
    try {
      // A file that grows past a limit ends a process unless the signal is ignored, and with exec the id is the server's.
      const shell = ['-c', `trap '' XFSZ; exec "$0" "$@"`, ...under, path]
      const child = spawn('/bin/sh', [...shell, ...own, ...commonArgs(version.major), ...args], {
        env: { ...process.env, ...env },
        stdio: ['ignore', log.fd, log.fd],
      })
      this.#child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
      await until(
        async () => {
          if (!isRunning(child)) return true
          // The port alone may be that of another server, until ours finds that it is taken.
          return readyLine.test(await readFile(logPath, 'utf8')) && (await answersPing(host, this.port))
        },
        {
          what: `${path} on port ${String(this.port)} to answer`,
          // A program that watches each instruction makes it some fifty times slower.
          timeoutMs: under.length > 0 ? 60_000 : 10_000,
        },
      )
      if (!isRunning(child)) {
        throw new Error(`${path} on port ${String(this.port)} ended:\n${await readFile(logPath, 'utf8')}`)
      }
    } finally {
      await log.close()
    }
  }
}

export function readRunId(info: unknown): string {
  const runId = /^run_id:(\w+)/m.exec(String(info))?.[1]
  if (runId === undefined) throw new Error('INFO server names no run_id')
  return runId
}
