import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { freePort } from '../free-port.js'
import { guard } from '../process/reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from '../process/signals.js'
import { until } from '../until.js'
import { findMemcached, type MemcachedProgram } from './find-memcached.js'

const host = '127.0.0.1'

/** A private memcached for a test, on loopback. Nothing of it outlives this process. */
export class MemcachedServer implements AsyncDisposable {
  readonly host = host
  readonly port: number
  /** Such as `memcached://127.0.0.1:11211`. */
  readonly url: string
  readonly #program: MemcachedProgram
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #isFrozen = false
  #said = ''

  /** @param args - besides where it listens */
  constructor(program: MemcachedProgram, port: number, args: readonly string[]) {
    this.#program = program
    this.port = port
    this.url = `memcached://${host}:${port}`
    this.#args = args
  }

  /** Ends it with SIGKILL: `restart` brings it back, without its data. */
  async kill(): Promise<void> {
    if (this.#child) await killProcess(this.#child)
    this.#isFrozen = false
  }

  /** Freezes it; the system still accepts connections and bytes for it. */
  async freeze(): Promise<void> {
    if (!this.#child) return
    await freezeProcess(this.#child)
    this.#isFrozen = true
  }

  thaw(): void {
    if (this.#child && this.#isFrozen && isRunning(this.#child)) thawProcess(this.#child)
    this.#isFrozen = false
  }

  /**
   * A new process on the same port. Resolves when it accepts connections.
   *
   * @param args - in place of those that it was started with
   */
  async restart(args = this.#args): Promise<void> {
    await this.kill()
    await this.launch(args)
  }

  /** Stops it permanently. A second call does nothing. */
  async stop(): Promise<void> {
    await this.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** What it says of itself: its counters, or its settings. */
  stats(of: '' | 'settings' = ''): Promise<ReadonlyMap<string, string>> {
    return new Promise((resolve, reject) => {
      let said = ''
      const socket = connect({ host, port: this.port }, () => socket.write(`stats ${of}`.trim() + '\r\n'))
      socket.setTimeout(10_000, () =>
        socket.destroy(new Error('memcached did not reply to stats within 10 s')),
      )
      socket.once('error', reject)
      socket.on('data', (bytes: Buffer) => {
        said += bytes.toString()
        if (!said.endsWith('END\r\n')) return
        socket.destroy()
        resolve(
          new Map(
            [...said.matchAll(/^STAT (\S+) (.*)\r$/gm)].map(([, name = '', value = '']) => [name, value]),
          ),
        )
      })
    })
  }

  /** How many commands about keys it has carried out since it was started. */
  async commands(): Promise<number> {
    const stats = await this.stats()
    const names = ['cmd_get', 'cmd_set', 'delete_hits', 'delete_misses']
    return names.reduce((sum, name) => sum + Number(stats.get(name) ?? 0), 0)
  }

  async launch(args = this.#args): Promise<void> {
    const { path, env } = this.#program
    // It refuses to run as root without being told to.
    const user = process.getuid?.() === 0 ? ['-u', 'root'] : []
    const child = spawn(path, ['-l', host, '-p', String(this.port), '-U', '0', ...user, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    this.#said = ''
    child.stderr.on('data', (bytes: Buffer) => (this.#said += bytes.toString()))
    guard(child)
    // A forgotten server must not keep the process alive; the reaper ends it.
    child.unref()
    await once(child, 'spawn')
    await until(async () => !isRunning(child) || (await this.#accepts()), {
      what: `memcached on port ${this.port} to accept connections`,
    })
    if (!isRunning(child)) throw new Error(`memcached on port ${this.port} ended:\n${this.#said}`)
  }

  #accepts(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ host, port: this.port })
      const settle = (value: boolean) => () => {
        socket.destroy()
        resolve(value)
      }
      socket.once('connect', settle(true))
      socket.once('error', settle(false))
    })
  }
}

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/**
 * Starts a server of its own; resolves when it accepts connections.
 *
 * Uses the program on PATH, else that of Debian's package. Throws {@link NoMemcachedError} if there is none. Ignores MEMCACHED_URL: tests
 * must not crash that server.
 *
 * @param args - such as `['-m', '4']`
 */
export async function startMemcached(args: readonly string[] = ['-M']): Promise<MemcachedServer> {
  const program = await findMemcached()
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const server = new MemcachedServer(program, await freePort(), args)
    try {
      await server.launch()
      return server
    } catch (error) {
      await server.stop()
      const isPortTaken = String(error).includes('Address already in use')
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}
