import { clientOf, type Address, type Addressing, type ObjectType } from '../engine/requests.js'
import { InvalidArgumentError } from '../errors/errors.js'

/** The Redis keys of one object. All of them live in one cluster slot. */
export interface Keys extends Address {
  readonly kind: Kind
  /** The key that has the holds. It is also the `id`, unless objects of another kind may have the same key. */
  readonly main: string
  readonly queue: string
  readonly waiters: string
  readonly fence: string
  /** When each hold ends, for objects that several owners hold at once. */
  readonly ends: string
  /** What the object was resized to. */
  readonly size: string
  /** Who has counted down, for latches. */
  readonly counted: string
}

/** A lock's own key has no suffix: other clients may know the lock by it. */
export const suffixOf: Record<Exclude<ObjectType, 'lock'>, string> = {
  'read-write-lock': ':rw',
  semaphore: ':semaphore',
  latch: ':latch',
}
/** Objects that have the same scripts. */
export type Kind = ObjectType | 'shared' | 'permits'

/** Those of locks, and of the other objects. No lock has a key that ends in `:ends`, so locks may have such names. */
const suffixes = [
  ':fifo',
  ':waiters',
  ':fence',
  ...Object.values(suffixOf).flatMap((suffix) => [
    suffix,
    `${suffix}:ends`,
    `${suffix}:size`,
    `${suffix}:counted`,
  ]),
]
const registryPrefix = 'holdfast:client:'

/**
 * What the other keys of an object begin with: the key that a lock of its name has, in a hash tag unless it has one. Braces
 * that no name may have keep `{t}` apart from `t`; clusters ignore them.
 */
function taggedOf(lock: string): string {
  if (!lock.includes('{')) return `{${lock}}`
  return /^\{[^{}]*\}$/.test(lock) ? `${lock}{}` : lock
}

export const untagged = (tagged: string): string =>
  tagged.endsWith('{}') ? tagged.slice(0, -2) : tagged.replace(/^\{(.*)\}$/s, '$1')

/** What depends on who shares the objects. */
export interface Layout {
  kindOf(object: ObjectType): Kind
  /**
   * The key that has the holds of anything but a lock.
   *
   * @param lock - the key that a lock of the same name has
   * @param base - what the object's other keys begin with
   */
  mainOf(lock: string, base: string): string
  /**
   * The key of the last fencing token.
   *
   * @param base - what the object's other keys begin with: for a lock its key, in a hash tag unless it has one
   */
  fenceOf(lock: string, base: string): string
}

const nativeKinds: Record<ObjectType, Kind> = {
  lock: 'lock',
  'read-write-lock': 'shared',
  semaphore: 'shared',
  latch: 'latch',
}

/** Of objects that only Holdfast clients share. */
export const nativeLayout: Layout = {
  kindOf: (object) => nativeKinds[object],
  mainOf: (_lock, base) => base,
  fenceOf: (_lock, base) => `${base}:fence`,
}

export interface KeySpaceOptions {
  /** The `keyPrefix` of the application's own client. */
  readonly keyPrefix: string
  /** Holdfast's own prefix for locks. */
  readonly prefix: string
  /** What keys must have in common to go into one script call. */
  groupOf(key: string): string
  readonly layout: Layout
}

/** Builds every key and channel name; no other module puts names together. */
export class KeySpace implements Addressing {
  readonly #options: KeySpaceOptions
  readonly #lockPrefix: string

  constructor(options: KeySpaceOptions) {
    this.#options = options
    this.#lockPrefix = options.keyPrefix + options.prefix
    if (!hasFitBraces(`${this.#lockPrefix}x`)) {
      throw new InvalidArgumentError(
        `braces in a prefix must form exactly one hash tag, such as {tenant}: ${this.#lockPrefix} (keyPrefix and prefix)`,
      )
    }
  }

  locate(name: string, object: ObjectType = 'lock'): Keys {
    const invalid = this.whyInvalid(name)
    if (invalid !== undefined) throw new InvalidArgumentError(invalid, { lockName: name })
    const lock = this.#lockPrefix + name
    const tagged = taggedOf(lock)
    const { layout } = this.#options
    const kind = layout.kindOf(object)
    const base = object === 'lock' ? tagged : tagged + suffixOf[object]
    return {
      name,
      kind,
      id: object === 'lock' ? lock : base,
      group: this.#options.groupOf(lock) + (kind === 'lock' ? '' : ` ${kind}`),
      main: object === 'lock' ? lock : layout.mainOf(lock, base),
      queue: `${base}:fifo`,
      waiters: `${base}:waiters`,
      fence: layout.fenceOf(lock, base),
      ends: `${base}:ends`,
      size: `${base}:size`,
      counted: `${base}:counted`,
    }
  }

  /** The keys of the object whose `id` this is, or `null` when it is not one of ours. */
  resolve(key: string): Keys | null {
    const [object, suffix] = Object.entries(suffixOf).find(([, end]) => key.endsWith(end)) ?? ['lock', '']
    const lock = suffix === '' ? key : untagged(key.slice(0, -suffix.length))
    if (!lock.startsWith(this.#lockPrefix)) return null
    return this.locate(lock.slice(this.#lockPrefix.length), object as ObjectType)
  }

  /** What all keys of objects contain. */
  get head(): string {
    return this.#lockPrefix
  }

  registry(clientId: string): string {
    return this.#options.keyPrefix + registryPrefix + clientId
  }

  /**
   * The patterns of keys that a Redis user needs, as words of `ACL SETUSER`.
   *
   * @param key - that it may not use, for objects whose keys have nothing in common
   */
  patternsFor(key: string): string {
    const { keyPrefix, layout } = this.#options
    const head = this.#lockPrefix || key
    const tagged = taggedOf(head)
    const starts = [head, tagged, layout.fenceOf(head, tagged), keyPrefix + registryPrefix]
      .map((start) => start.replace(/\}$/, ''))
      .filter((start, i, all) => !all.some((other, j) => j < i && start.startsWith(other)))
    return starts.map((start) => `~${start}*`).join(' ')
  }

  whyInvalid(name: string): string | undefined {
    const hint = '; lockName(text) makes a valid name from any text'
    const suffix = suffixes.find((s) => name.endsWith(s))
    if (suffix !== undefined)
      return `name must not end in ${suffix}, a suffix of Holdfast's own keys: ${name}${hint}`
    const lock = this.#lockPrefix + name
    if (lock.startsWith(this.#options.keyPrefix + registryPrefix)) {
      return `name collides with Holdfast's client registry keys: ${lock}${hint}`
    }
    if (hasFitBraces(lock)) return undefined
    return `braces in a name must form exactly one hash tag, such as {tenant}: ${lock}${hint}`
  }
}

/** None, or those of one hash tag, which a cluster reads as we do. */
const hasFitBraces = (lock: string): boolean => /^[^{}]*(\{[^{}]+\}[^{}]*)?$/.test(lock)

const inboxPrefix = 'holdfast:inbox:'

export const everyInbox = `${inboxPrefix}*`

/** The channel on which a client is notified of grants and evictions. Channels know neither prefixes nor databases. */
export const inboxOf = (clientId: string): string => inboxPrefix + clientId

export const clientOfInbox = (inbox: string): string => inbox.slice(inboxPrefix.length)

export const clientInboxOf = (owner: string): string => inboxOf(clientOf(owner))
