import type { Address } from '../engine/requests.js'
import { InvalidArgumentError } from '../errors.js'
import { clientOf } from '../engine/owner.js'

/** The Redis keys of one lock. All of them live in one cluster slot. */
export interface LockKeys extends Address {
  /** The lock's own key, which is also the `id`. */
  readonly lock: string
  readonly queue: string
  readonly waiters: string
  readonly fence: string
}

const suffixes = [':fifo', ':waiters', ':fence']
const registryPrefix = 'holdfast:client:'

export interface KeySpaceOptions {
  /** The `keyPrefix` of the application's own client. */
  readonly keyPrefix: string
  /** Holdfast's own prefix for locks. */
  readonly prefix: string
  /** What keys must have in common to go into one script call. */
  groupOf(key: string): string
  /**
   * The key of the last fencing token.
   *
   * @param base - the lock's key, in a hash tag of its own unless it has one
   */
  fenceOf(lock: string, base: string): string
}

/** The key of the last token among Holdfast clients. */
export const nativeFenceOf = (_lock: string, base: string): string => `${base}:fence`

/** Builds every key and channel name; no other module puts names together. */
export class KeySpace {
  readonly #options: KeySpaceOptions
  readonly #lockPrefix: string

  constructor(options: KeySpaceOptions) {
    this.#options = options
    this.#lockPrefix = options.keyPrefix + options.prefix
  }

  /** The keys of the lock of this name. Throws `InvalidArgumentError` for an invalid name. */
  lock(name: string): LockKeys {
    const refuse = (reason: string, hint = '; lockName(text) makes a valid name from any text'): never => {
      throw new InvalidArgumentError(`${reason}${hint}`, { lockName: name })
    }
    const suffix = suffixes.find((s) => name.endsWith(s))
    if (suffix !== undefined)
      refuse(`name must not end in ${suffix}, a suffix of Holdfast's own keys: ${name}`)
    const lock = this.#lockPrefix + name
    if (lock.startsWith(this.#options.keyPrefix + registryPrefix)) {
      refuse(`name collides with Holdfast's client registry keys: ${lock}`)
    }
    const hasBraces = lock.includes('{') || lock.includes('}')
    if (hasBraces && !/^[^{}]*\{[^{}]+\}[^{}]*$/.test(lock)) {
      const isOfPrefix = !/[{}]/.test(name)
      refuse(
        `braces in a name must form exactly one hash tag, such as {tenant}: ${lock}`,
        isOfPrefix ? '' : undefined,
      )
    }
    const base = hasBraces ? lock : `{${lock}}`
    return {
      name,
      id: lock,
      group: this.#options.groupOf(lock),
      lock,
      queue: `${base}:fifo`,
      waiters: `${base}:waiters`,
      fence: this.#options.fenceOf(lock, base),
    }
  }

  /** The lock that has this key, or `null` when the key is not one of ours. */
  ofKey(key: string): LockKeys | null {
    return key.startsWith(this.#lockPrefix) ? this.lock(key.slice(this.#lockPrefix.length)) : null
  }

  /** The key under which a client is registered. */
  registry(clientId: string): string {
    return this.#options.keyPrefix + registryPrefix + clientId
  }
}

/** The channel on which a client is notified of grants and evictions. Channels know neither prefixes nor databases. */
export const inboxOf = (clientId: string): string => `holdfast:inbox:${clientId}`

/** The channel of the client that an owner belongs to. */
export const clientInboxOf = (owner: string): string => inboxOf(clientOf(owner))
