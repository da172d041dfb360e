import { KeySpace, nativeFenceOf } from '../../src/redis/keys.js'

/** The keys of a client with default options. */
export const plainKeySpace = new KeySpace({
  keyPrefix: '',
  prefix: 'lock:',
  groupOf: () => '',
  fenceOf: nativeFenceOf,
})
