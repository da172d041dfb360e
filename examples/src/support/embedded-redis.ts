import type { OpenedRedis } from '@holdfast/testkit'

/**
 * A server in plain JavaScript inside this process: slower than Redis and not suitable to prove correctness, but it
 * needs no installation.
 */
export async function openEmbeddedRedis(): Promise<OpenedRedis> {
  // Loaded on demand: most machines have a real server and never need it.
  const { createRedisMock } = await import('js-redis-server')
  const server = await createRedisMock()
  let closing: Promise<void> | undefined
  const stop = () => (closing ??= server.close())
  return {
    url: `redis://${server.host}:${server.port}`,
    origin: 'the embedded js-redis-server (no other Redis found)',
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
