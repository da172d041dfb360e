/**
 * The permissions without which the Redis user of a Holdfast client cannot do its work, as words of `ACL SETUSER`.
 *
 * `lock:` is Holdfast's default prefix: a `prefix` of one's own takes its place in the first two patterns, and a
 * `keyPrefix` comes first in all three patterns of keys.
 */
export const minimumPermissions = [
  // The lock itself, what belongs to it, and who its clients are
  '~lock:*',
  '~{lock:*',
  '~holdfast:client:*',
  // Notices
  '&holdfast:inbox:*',
  '+subscribe',
  '+publish',
  // Scripts and what they call
  '+evalsha',
  '+eval',
  '+del',
  '+exists',
  '+get',
  '+hdel',
  '+hget',
  '+hgetall',
  '+hrandfield',
  '+hset',
  '+hsetnx',
  '+hlen',
  '+llen',
  '+lpop',
  '+lpos',
  '+lpush',
  '+lrange',
  '+lrem',
  '+pexpire',
  '+pttl',
  '+pubsub|numsub',
  '+rpush',
  '+set',
  '+time',
] as const

/** Further permissions for a client of a Redis Cluster, which has to find its way. */
export const clusterPermissions = ['+cluster|slots', '+cluster|info'] as const

/**
 * Permissions that make it work better: INFO lets Holdfast check version, role and eviction policy, and tell a release
 * that was sent twice from a loss; TYPE names what a key holds that is not a lock.
 */
export const usefulPermissions = ['+info', '+type'] as const
