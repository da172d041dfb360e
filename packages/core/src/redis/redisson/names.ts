/**
 * The names of what Redisson 3.24 to 4.7 keeps beside a lock. They follow its rule: a name goes into a hash tag of its
 * own unless it has a brace already. Locks whose braces form no tag are refused before they get here.
 */
const prefixed = (prefix: string, name: string): string =>
  name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`

/** The channel on which a release is announced. */
export const releaseChannelOf = (lock: string): string => prefixed('redisson_lock__channel', lock)

/** The key of the last fencing token. */
export const tokenKeyOf = (lock: string): string => prefixed('redisson_lock_token', lock)

/** What is published when a lock is free. Redisson's clients read integers, and fail at anything else. */
export const freeMessage = '0'
