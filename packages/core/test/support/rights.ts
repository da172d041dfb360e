/**
 * What the Redis user of a Holdfast client needs, as words of `ACL SETUSER`; each of them is needed.
 *
 * `lock:` is Holdfast's default prefix; a `prefix` or `keyPrefix` of one's own goes into the first two patterns,
 * a `keyPrefix` also before `holdfast:client:`. A cluster client also needs `+cluster|slots` to find its way.
 */
export const minimumRights = [
  // The lock itself, what belongs to it, and who its clients are
  '~lock:*',
  '~{lock:*',
  '~holdfast:client:*',
  // Notices
  '&holdfast:inbox:*',
  '+subscribe',
  '+publish',
  '+ping',
  // Scripts and what they call
  '+evalsha',
  '+eval',
  '+del',
  '+get',
  '+hdel',
  '+hget',
  '+hgetall',
  '+hkeys',
  '+hset',
  '+pexpire',
  '+pttl',
  '+set',
  '+time',
  '+type',
  '+zadd',
  '+zcard',
  '+zrange',
  '+zrank',
  '+zrem',
  '+zscore',
  '+info',
] as const

/** Without these Holdfast works all the same, if a little less well; see where they are used. */
export const usefulRights = ['+pubsub|numsub', '+client|setname', '+client|setinfo', '+unsubscribe'] as const
