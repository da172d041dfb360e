import type { RedisBinary } from './redis-binary.js'

/** Where a Redis for this run can come from. Nothing has been started yet. */
export type RedisSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'docker' }
  | { readonly kind: 'binary'; readonly binary: RedisBinary }

/** One step of the search. `null`: found nothing, try the next one. */
export type RedisStep = () => Promise<RedisSource | null>

/** A short description of a source, for one line of output. */
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
