import type { GenericContainer, Wait } from 'testcontainers'
import { redisFromDocker as dockerReplies } from './docker.js'

/** A server from any source, which others may use too. */
export interface OpenedServer {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

/** One way to get a server. `null`: there is none this way, try the next one. */
export type Step = () => Promise<OpenedServer | null>

/** How to get a server of a kind. */
export interface ServerKind {
  readonly product: string
  /** The variable that names a running one, and an example of its value. */
  readonly variable: readonly [name: string, example: string]
  /** What it is called by Homebrew, by Debian, and on PATH. */
  readonly names: readonly [brew: string, debian: string, onPath: string]
}

/** No server of a kind was found; the message says how to get one. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError'

  constructor({ product, variable, names: [brew, debian, onPath] }: ServerKind, options?: ErrorOptions) {
    const ways = [
      [variable.join('='), 'a running server'],
      ['Docker', 'start it, or set DOCKER_HOST'],
      [`brew install ${brew}`, 'macOS'],
      [`sudo apt-get install ${debian}`, 'Debian, Ubuntu'],
      [onPath, 'on PATH, by any other means'],
    ] as const
    const width = Math.max(...ways.map(([what]) => what.length))
    super(
      [
        `No ${product} found. Any one of these is enough:`,
        ...ways.map(([what, when]) => `  ${what.padEnd(width)}  ${when}`),
        'Tests that stop servers, or need several, start their own: those need the program.',
      ].join('\n'),
      options,
    )
  }
}

/**
 * The first server that a step opens. A source that does not start is skipped: the failures are the cause of the {@link NoServerError} at
 * the end.
 */
export async function openFirst(kind: ServerKind, steps: readonly Step[]): Promise<OpenedServer> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      const opened = await step()
      if (opened !== null) return opened
    } catch (error) {
      failures.push(error)
    }
  }
  throw new NoServerError(kind, failures.length > 0 ? { cause: new AggregateError(failures) } : undefined)
}

/** The server that its variable names, which is then the only one to use, else {@link openFirst}. */
export async function openServer(kind: ServerKind, steps: readonly Step[]): Promise<OpenedServer> {
  const [variable] = kind.variable
  const url = process.env[variable]
  if (url) return { url, origin: variable, stop: () => Promise.resolve() }
  return openFirst(kind, steps)
}

export interface ContainerOf {
  readonly image: string
  /** Where it listens. */
  readonly port: number
  /** @param address - host and port, from here */
  readonly urlOf: (address: string) => string
  /** What else the container is given. */
  readonly prepare?: (container: GenericContainer, wait: typeof Wait) => GenericContainer
}

/** A container, if Docker is running. */
export const inContainer =
  ({ image, port, urlOf, prepare }: ContainerOf): Step =>
  async () => {
    if (!(await dockerReplies())) return null
    // Loaded on demand: it takes a good part of a second, and most runs never need it.
    const { GenericContainer: Container, Wait: wait } = await import('testcontainers')
    const plain = new Container(image).withExposedPorts(port).withWaitStrategy(wait.forListeningPorts())
    const container = await (prepare?.(plain, wait) ?? plain).start()
    let stopped: Promise<unknown> | undefined
    return {
      url: urlOf(`${container.getHost()}:${container.getMappedPort(port)}`),
      origin: 'a Docker container',
      stop: async () => {
        await (stopped ??= container.stop({ timeout: 0 }))
      },
    }
  }
