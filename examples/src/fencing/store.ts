import type { Redis } from 'ioredis'

/** Writes unless a larger token was seen. The comparison and the write are one atomic step, to avoid a race. */
const write = `
  if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then
    return 0
  end
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'text', ARGV[2])
  return 1
`

/** A store that protects itself: it refuses a write whose fencing token is smaller than one it has seen. */
export class FencedStore {
  readonly #redis: Redis
  readonly #key: string

  constructor(redis: Redis, key: string) {
    this.#redis = redis
    this.#key = key
  }

  /** @returns whether the write was accepted */
  async write(fencingToken: number, text: string): Promise<boolean> {
    return (await this.#redis.eval(write, 1, this.#key, fencingToken, text)) === 1
  }

  async read(): Promise<string | null> {
    return this.#redis.hget(this.#key, 'text')
  }
}
