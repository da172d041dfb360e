import { startRedis, type RedisServer, type RestartOptions, type StartRedisOptions } from '@holdfast/testkit'

/** A server that starts before the first test of a file and stops after the last. */
class OwnRedis implements RedisServer {
  #running: RedisServer | undefined

  async start(options: StartRedisOptions): Promise<void> {
    this.#running = await startRedis(options)
  }

  get #server(): RedisServer {
    if (!this.#running) throw new Error('the server starts before the first test, and not earlier')
    return this.#running
  }

  get url(): string {
    return this.#server.url
  }

  get host(): string {
    return this.#server.host
  }

  get port(): number {
    return this.#server.port
  }

  get pid(): number | null {
    return this.#server.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  call = (command: string, ...args: (string | number)[]): Promise<unknown> =>
    this.#server.call(command, ...args)
  runId = (): Promise<string> => this.#server.runId()
  stop = async (): Promise<void> => this.#running?.stop()
  kill = (): Promise<void> => this.#server.kill()
  freeze = (): Promise<void> => this.#server.freeze()
  thaw = async (): Promise<void> => this.#server.thaw()
  restart = (options?: RestartOptions): Promise<void> => this.#server.restart(options)
}

/** A Redis for all tests of the file or block that calls it, which no other uses. */
export function ownRedis(options: StartRedisOptions = {}): RedisServer {
  const server = new OwnRedis()
  beforeAll(() => server.start(options))
  afterAll(() => server.stop())
  return server
}
