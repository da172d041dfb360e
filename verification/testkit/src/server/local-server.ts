import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.js'
import { guard, scratchFolder, type ScratchFolder } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'

export const loopback = '127.0.0.1'

/** A program, and how to run it. */
export interface Launch {
  readonly program: string
  readonly args: readonly string[]
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Who runs it: not all servers run as root. */
  readonly user?: { readonly uid: number; readonly gid: number } | null | undefined
}

export interface LaunchOptions {
  /** Without what it had written, as a new one. @defaultValue true */
  readonly keepData?: boolean
}

/** What a server has for itself. */
export interface Place {
  readonly port: number
  readonly folder: ScratchFolder
}

export const freePlace = async (): Promise<Place> => ({
  port: await freePort(),
  folder: await scratchFolder(),
})

/** A private server for a test, on loopback, with a folder of its own. Nothing of it outlives this process. */
export abstract class LocalServer implements AsyncDisposable {
  readonly host: string = loopback
  readonly port: number
  protected readonly folder: ScratchFolder
  protected child: ChildProcess | undefined
  #isFrozen = false

  /** @param product - its name, for messages */
  protected constructor(
    readonly product: string,
    { port, folder }: Place,
  ) {
    this.port = port
    this.folder = folder
  }

  /** What starts it. */
  protected abstract command(): Launch | Promise<Launch>

  /** Whether it serves clients. A rejection counts as "not yet". */
  protected abstract isServing(): Promise<boolean>

  /** Everything that it has logged so far. */
  log(): Promise<string> {
    return readFile(this.logPath, 'utf8')
  }

  /** Starts the process. */
  async launch({ keepData = true }: LaunchOptions = {}): Promise<void> {
    if (!keepData) await rm(this.dataPath, { recursive: true, force: true })
    const { program, args, env, user } = await this.command()
    // Logs go to a file: a pipe would keep this process busy and alive.
    const log = await open(this.logPath, 'a')
    try {
      const child = spawn(program, [...args], {
        ...user,
        env: { ...process.env, ...env },
        cwd: this.folder.path,
        stdio: ['ignore', log.fd, log.fd],
      })
      this.child = child
      guard(child)
      // A forgotten server must not keep the process alive; the reaper ends it.
      child.unref()
      await once(child, 'spawn')
    } finally {
      await log.close()
    }
  }

  /** Resolves when it serves clients. */
  async untilServing(timeoutMs?: number): Promise<void> {
    const { child } = this
    if (!child) throw new Error(`${this.product} on port ${this.port} was not launched`)
    await until(async () => !isRunning(child) || (await this.isServing()), {
      what: `${this.product} on port ${this.port} to serve clients`,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    if (isRunning(child)) return
    throw new Error(`${this.product} on port ${this.port} ended:\n${(await this.log()).slice(-2_000)}`)
  }

  /** Resolves when a new process serves clients. */
  async start(options?: LaunchOptions): Promise<void> {
    await this.launch(options)
    await this.untilServing()
  }

  /** Ends it, with SIGKILL as a machine that fails: it can be started again. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child) await killProcess(this.child, signal)
    this.#isFrozen = false
  }

  /** Freezes it; the system still accepts connections and bytes for it. */
  async freeze(): Promise<void> {
    if (!this.child) return
    await freezeProcess(this.child)
    this.#isFrozen = true
  }

  thaw(): void {
    if (this.child && this.#isFrozen && isRunning(this.child)) thawProcess(this.child)
    this.#isFrozen = false
  }

  /** Stops it permanently and removes its files. A second call does nothing. */
  async stop(): Promise<void> {
    await this.kill()
    await this.folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  protected get dataPath(): string {
    return join(this.folder.path, 'data')
  }

  protected get logPath(): string {
    return join(this.folder.path, 'server.log')
  }
}

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/** Starts servers on free ports; resolves when all of them serve clients. */
export async function startServers<Server extends LocalServer>(
  make: () => Promise<readonly Server[]>,
): Promise<readonly Server[]> {
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const servers = await make()
    try {
      await Promise.all(servers.map((server) => server.launch()))
      await Promise.all(servers.map((server) => server.untilServing()))
      return servers
    } catch (error) {
      const logs = await Promise.all(servers.map((server) => server.log().catch(() => '')))
      await Promise.all(servers.map((server) => server.stop()))
      const isPortTaken = logs.some((log) => /address already in use/i.test(log))
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}

/** The same of one. */
export async function startServer<Server extends LocalServer>(
  make: (place: Place) => Promise<Server>,
): Promise<Server> {
  const [server] = await startServers(async () => [await make(await freePlace())])
  if (!server) throw new Error('no server was made')
  return server
}
