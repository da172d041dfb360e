import { InvalidArgumentError } from '../errors.js'
import { tokenKeyOf } from './redisson/names.js'
import type { Interop } from '../options.js'

/** The Redis keys of one lock. All of them live in one cluster slot. */
export interface LockKeys {
  readonly name: string
  readonly lock: string
  readonly queue: string
  readonly waiters: string
  readonly fence: string
}

const suffixes = [':queue', ':waiters', ':fence']
const registryPrefix = 'holdfast:client:'
const longestName = 1024

/** Builds every key and channel name; nothing else puts names together. */
export class KeySpace {
  readonly #keyPrefix: string
  readonly #lockPrefix: string
  readonly #interop: Interop | undefined

  /**
   * @param keyPrefix - the `keyPrefix` of the application's own client
   * @param prefix - Holdfast's own prefix for locks
   * @param interop - with whom the locks are shared
   */
  constructor(keyPrefix: string, prefix: string, interop?: Interop) {
    this.#keyPrefix = keyPrefix
    this.#lockPrefix = keyPrefix + prefix
    this.#interop = interop
  }

  /** The keys of the lock of this name. Throws `InvalidArgumentError` for a name that cannot be one. */
  lock(name: string): LockKeys {
    if (typeof name !== 'string' || name === '') {
      throw new InvalidArgumentError(`name must be a non-empty string, got ${JSON.stringify(name)}`)
    }
    const bytes = Buffer.byteLength(name)
    if (bytes > longestName) {
      throw new InvalidArgumentError(`name must be at most ${longestName} bytes, got ${bytes}`, {
        lockName: name,
      })
    }
    const suffix = suffixes.find((s) => name.endsWith(s))
    if (suffix !== undefined) {
      throw new InvalidArgumentError(
        `name must not end in ${suffix}, a suffix of Holdfast's own keys: ${name}`,
        {
          lockName: name,
        },
      )
    }
    const lock = this.#lockPrefix + name
    if (lock.startsWith(this.#keyPrefix + registryPrefix)) {
      throw new InvalidArgumentError(`name leads into Holdfast's client registry: ${lock}`, {
        lockName: name,
      })
    }
    const hasBraces = lock.includes('{') || lock.includes('}')
    if (hasBraces && !/^[^{}]*\{[^{}]+\}[^{}]*$/.test(lock)) {
      throw new InvalidArgumentError(
        `the braces of a name must form one hash tag such as {tenant}, or there must be none: ${lock}`,
        { lockName: name },
      )
    }
    const base = hasBraces ? lock : `{${lock}}`
    const fence = this.#interop === 'redisson' ? tokenKeyOf(lock) : `${base}:fence`
    return { name, lock, queue: `${base}:queue`, waiters: `${base}:waiters`, fence }
  }

  /** The lock that has this key, or `null` when the key is none of ours. */
  ofKey(key: string): LockKeys | null {
    return key.startsWith(this.#lockPrefix) ? this.lock(key.slice(this.#lockPrefix.length)) : null
  }

  /** The key under which a client leaves word of who it is. */
  registry(clientId: string): string {
    return this.#keyPrefix + registryPrefix + clientId
  }
}

/** The channel on which a client hears of grants and evictions. Channels know neither prefixes nor databases. */
export const inboxOf = (clientId: string): string => `holdfast:inbox:${clientId}`

/** The owner of the n-th outermost acquisition of a client. */
export const ownerOf = (clientId: string, n: number): string => `${clientId}:${n}`

/** Which acquisition of its client an owner stands for. */
export const numberOf = (owner: string): number => Number(owner.slice(owner.lastIndexOf(':') + 1))

/** The client that an owner belongs to. */
export const clientOf = (owner: string): string => owner.slice(0, owner.lastIndexOf(':'))
