import type { RedisClient } from './redis-client.js'
import type { ClusterTemplate, RedisConnectionOptions, RedisTemplate } from './types.js'

/** Where Redis is. */
export type RedisSource =
  | string
  | URL
  // An engine has a name, too, and is given as `engine`.
  | (RedisConnectionOptions & { readonly traits?: never })
  | RedisTemplate
  | ClusterTemplate
  | RedisClient
