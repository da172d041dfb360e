import { redisFromDocker as dockerReplies } from '../find/docker.js'
import { openFirst, stopping, type Step } from '../find/open-first.js'
import { findMemcached, NoMemcachedError } from './find-memcached.js'
import { startMemcached } from './memcached-server.js'

/** A memcached from any source, which others may use too: tests on it keep to a prefix of their own. */
export interface OpenedMemcached {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

const image = 'memcached:1.6'

/**
 * The server that MEMCACHED_URL names, else the first that a step opens: a container if Docker is running, the program on this machine, that
 * of Debian's package.
 *
 * A source that does not start is skipped, except for MEMCACHED_URL: if set, it names the only server to use. Throws
 * {@link NoMemcachedError} with the failures as its cause.
 */
export async function openMemcached(
  steps: readonly Step<OpenedMemcached>[] = [memcachedFromDocker, memcachedFromProgram],
): Promise<OpenedMemcached> {
  const url = process.env['MEMCACHED_URL']
  if (url) return { url, origin: 'MEMCACHED_URL', stop: () => Promise.resolve() }
  return openFirst(steps, (details) => new NoMemcachedError(details))
}

export async function memcachedFromDocker(): Promise<OpenedMemcached | null> {
  if (!(await dockerReplies())) return null
  // Loaded on demand: it takes a good part of a second, and most runs never need it.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(image)
    .withCommand(['memcached', '-M'])
    .withExposedPorts(11211)
    .withWaitStrategy(Wait.forListeningPorts())
    .start()
  const url = `memcached://${container.getHost()}:${container.getMappedPort(11211)}`
  return { url, origin: 'a Docker container', stop: stopping(container) }
}

/** The program on PATH, or that of Debian's package. */
export async function memcachedFromProgram(): Promise<OpenedMemcached> {
  const server = await startMemcached()
  return { url: server.url, origin: (await findMemcached()).path, stop: () => server.stop() }
}
