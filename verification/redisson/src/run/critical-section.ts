/** What cycles do inside the lock, on both sides. All keys share the lock's slot. */
export interface CriticalSection {
  readonly keys: readonly [lock: string, inside: string, made: string]
  /** Returns "inside made ttl": how many are inside now, how many cycles were made so far, the TTL of the lock. */
  readonly enter: string
  /** Writes the given number of cycles. */
  readonly leave: string
}

/** Reads on entering and writes on leaving, so that two holders at once would lose a count. */
export function criticalSection(lock: string): CriticalSection {
  const slot = lock.includes('{') ? lock : `{${lock}}`
  return {
    keys: [lock, `${slot}:inside`, `${slot}:made`],
    enter: `
      local inside = redis.call('incr', KEYS[2])
      return inside .. ' ' .. (redis.call('get', KEYS[3]) or '0') .. ' ' .. redis.call('pttl', KEYS[1])`,
    leave: `
      redis.call('set', KEYS[3], ARGV[1])
      return tostring(redis.call('decr', KEYS[2]))`,
  }
}
