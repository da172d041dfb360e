import type { RedisBinary } from './redis-binary.js'

/** Where a Redis for this run can come from. Nothing has been started yet. */
export type RedisSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'docker' }
  | { readonly kind: 'binary'; readonly binary: RedisBinary }

/** One place to look. `null`: nothing there, ask the next one. */
export type RedisStep = () => Promise<RedisSource | null>

/** A source in words, for one line of output. */
export function describeSource(source: RedisSource): string {
  switch (source.kind) {
    case 'url':
      return 'REDIS_URL'
    case 'docker':
      return 'a Docker container'
    case 'binary':
      return `${source.binary.path} ${source.binary.version.text}`
  }
}
