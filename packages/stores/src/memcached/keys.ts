import { createHash } from 'node:crypto'

/** memcached takes keys of 250 bytes; prefixes have up to 40. */
const longestKey = 200

/**
 * The key of a document, without the prefix: a name of printable characters as it is, any other by its hash. No key of the first kind begins
 * with `%`.
 */
export const keyOf = (name: string): string =>
  /^[\x21-\x24\x26-\x7e][\x21-\x7e]*$/.test(name) && name.length <= longestKey
    ? name
    : `%${createHash('sha256').update(name).digest('base64url')}`
