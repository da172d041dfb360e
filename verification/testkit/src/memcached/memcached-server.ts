import { connect } from 'node:net'
import { LocalServer, loopback, startServer, type Launch, type Place } from '../server/local-server.js'
import { findMemcached, type MemcachedProgram } from './find-memcached.js'

/** A private memcached for a test. */
export class MemcachedServer extends LocalServer {
  /** Such as `memcached://127.0.0.1:11211`. */
  readonly url: string
  readonly #program: MemcachedProgram
  readonly #startArgs: readonly string[]
  #args: readonly string[]

  /** @param args - besides where it listens */
  constructor(program: MemcachedProgram, place: Place, args: readonly string[]) {
    super('memcached', place)
    this.#program = program
    this.#startArgs = args
    this.#args = args
    this.url = `memcached://${loopback}:${this.port}`
  }

  /**
   * A new process on the same port, without the data. Resolves when it accepts connections.
   *
   * @param args - in place of those that it was started with
   */
  async restart(args = this.#startArgs): Promise<void> {
    await this.kill()
    this.#args = args
    await this.start()
  }

  /** What it says of itself: its counters, or its settings. */
  stats(of: '' | 'settings' = ''): Promise<ReadonlyMap<string, string>> {
    return new Promise((resolve, reject) => {
      let said = ''
      const socket = connect({ host: loopback, port: this.port }, () =>
        socket.write(`stats ${of}`.trim() + '\r\n'),
      )
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

  protected command(): Launch {
    const { path: program, env } = this.#program
    // It refuses to run as root without being told to.
    const user = process.getuid?.() === 0 ? ['-u', 'root'] : []
    const listen = ['-l', loopback, '-p', String(this.port), '-U', '0']
    return { program, env, args: [...listen, ...user, ...this.#args] }
  }

  protected isServing(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ host: loopback, port: this.port })
      const settle = (value: boolean) => () => {
        socket.destroy()
        resolve(value)
      }
      socket.once('connect', settle(true))
      socket.once('error', settle(false))
    })
  }
}

/**
 * Starts a server of its own; resolves when it accepts connections.
 *
 * Uses the program on PATH, else that of Debian's package. Throws `NoServerError` if there is none. Ignores MEMCACHED_URL: tests must not
 * crash that server.
 *
 * @param args - such as `['-m', '4']`
 */
export async function startMemcached(args: readonly string[] = ['-M']): Promise<MemcachedServer> {
  const program = await findMemcached()
  return startServer((place) => Promise.resolve(new MemcachedServer(program, place, args)))
}
