import type { StartedTestContainer } from 'testcontainers'
import { freePort } from '../free-port.js'
import { until } from '../until.js'
import { answersPing } from './answers-ping.js'
import { commonArgs, readRunId } from './local-redis.js'
import type { RedisServer, RestartOptions, StartRedisOptions } from './redis-server.js'
import { withRedis } from './with-redis.js'

const image = 'redis:7-alpine'
const imageMajorVersion = 7

/** The operations on a container that we need from the engine's API. */
interface Engine {
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  kill(): Promise<unknown>
  start(): Promise<unknown>
  inspect(): Promise<{ State: { Running: boolean; Paused: boolean } }>
}

export async function startContainerRedis(options: StartRedisOptions): Promise<RedisServer> {
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import('testcontainers')
  // A fixed port on the host: one that the engine picks would change with every restart.
  const port = options.port ?? (await freePort())
  const args = [...commonArgs(imageMajorVersion), ...(options.args ?? [])]
  // By default the debug command is limited to loopback connections, and connections through a mapped port are not.
  const command = args.map((arg, at) => (args[at - 1] === '--enable-debug-command' ? 'yes' : arg))
  const container = await new GenericContainer(image)
    .withExposedPorts({ container: 6379, host: port })
    .withCommand(['redis-server', '--protected-mode', 'no', ...command])
    // The default health check repeatedly runs a shell in the container.
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .start()
  const client = await getContainerRuntimeClient()
  const server = new ContainerRedis(container, client.container.getById(container.getId()))
  try {
    await server.whenReady()
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

class ContainerRedis implements RedisServer {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly pid = null
  readonly #container: StartedTestContainer
  readonly #engine: Engine
  #stopping: Promise<unknown> | null = null

  constructor(container: StartedTestContainer, engine: Engine) {
    this.host = container.getHost()
    this.port = container.getMappedPort(6379)
    this.url = `redis://${this.host}:${String(this.port)}`
    this.#container = container
    this.#engine = engine
  }

  async whenReady(): Promise<void> {
    await until(() => answersPing(this.host, this.port), { what: `${this.url} to answer`, timeoutMs: 30_000 })
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return withRedis(this.url, (redis) => redis.call(command, ...args))
  }

  async runId(): Promise<string> {
    return readRunId(await this.call('INFO', 'server'))
  }

  async stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    await this.#stopping
  }

  async #stop(): Promise<void> {
    await this.kill()
    await this.#container.stop({ timeout: 0 })
  }

  async kill(): Promise<void> {
    const { State: state } = await this.#engine.inspect()
    if (!state.Running && !state.Paused) return
    // Not every engine kills what it has paused.
    if (state.Paused) await this.#engine.unpause()
    await this.#engine.kill()
    await until(async () => !(await this.#engine.inspect()).State.Running, { what: `${this.url} to end` })
  }

  async freeze(): Promise<void> {
    await this.#engine.pause()
  }

  async thaw(): Promise<void> {
    const { State: state } = await this.#engine.inspect()
    if (state.Paused) await this.#engine.unpause()
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    if (this.#stopping) throw new Error(`${this.url} was already stopped`)
    // The container's file system outlives the restart, and with it an earlier SAVE.
    if (options.empty === false) await this.call('SAVE')
    await this.kill()
    await this.#engine.start()
    await this.whenReady()
    if (options.empty !== false) await this.call('FLUSHALL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
