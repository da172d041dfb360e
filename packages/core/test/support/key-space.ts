import { KeySpace, nativeLayout } from '../../src/redis/keys.js'
import { layoutWith } from '../../src/redis/redisson/calls.js'

const space = { keyPrefix: '', groupOf: () => '' }

/** The keys of a client with default options. */
export const plainKeySpace = new KeySpace({ ...space, prefix: 'lock:', layout: nativeLayout })

/** The keys of a client that shares its objects with Redisson. */
export const sharedKeySpace = new KeySpace({ ...space, prefix: '', layout: layoutWith(undefined) })
