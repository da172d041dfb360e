import type { ConnectedClient, ListFilter, ListPage, OperatorSession } from '../engine/session.js'
import type { Address, ObjectType } from '../engine/requests.js'
import { RefusedError, UnavailableError } from '../errors/errors.js'
import type { ScriptConnection } from './connection/script-connection.js'
import { engineName, hasCode, asList, numberAt, textAt } from './errors.js'
import { clientOfInbox, everyInbox, inboxOf, suffixOf, untagged, type Keys, type KeySpace } from './keys.js'
import { lockScripts } from './scripts/generated.js'
import { CarriedSteps, type RedisRegistry } from './session.js'

export interface RedisOperatorOptions {
  readonly connection: Pick<ScriptConnection, 'run' | 'callAt' | 'masters' | 'routeOf' | 'epoch'>
  readonly keySpace: KeySpace
  readonly registry: RedisRegistry
  readonly clientId: string
  /** Whether all subscribers are at the server that publishes; in a cluster it knows only its own. */
  readonly countsReceivers: boolean
  onNoticeError(error: string): void
}

/** How many registrations are read at once. */
const maxReads = 200
/** How many channels one script publishes to: it takes about half a millisecond. */
const maxChannels = 500
/** Longer texts take longer: so many characters in all are still about half a millisecond. */
const maxCharacters = 500_000

/**
 * What operators may ask of Redis. Its user needs the permissions for SCAN, DBSIZE and PUBSUB CHANNELS, which no lock needs.
 */
export class RedisOperator implements OperatorSession {
  readonly #options: RedisOperatorOptions
  readonly #listing: Listing

  constructor(options: RedisOperatorOptions) {
    const { connection, keySpace } = options
    this.#options = options
    this.#listing = new Listing({
      keySpace,
      masters: () => this.#masters(),
      epoch: () => connection.epoch,
      call: (master, command, read) => this.#callAt(master, command, read),
    })
  }

  list(cursor: string | null, filter: ListFilter): Promise<ListPage> {
    return this.#listing.step(cursor, filter)
  }

  /**
   * Clients of this `keyPrefix` that listen for notifications and are registered. In a Cluster one that is still subscribed to
   * a node which has been demoted since is missing. With 10,000 clients Redis works on its list of channels for about 10 ms.
   */
  async clients(): Promise<readonly ConnectedClient[]> {
    const inboxes = await Promise.all(
      [...(await this.#masters())].map((master) =>
        this.#callAt(master, ['PUBSUB', 'CHANNELS', everyInbox], (reply) =>
          asList(reply).map((_, i, list) => textAt(list, i)),
        ),
      ),
    )
    const ids = [...new Set(inboxes.flat())].map(clientOfInbox)
    const connected: ConnectedClient[] = []
    for (const clientIds of chunksOf(ids, maxReads)) {
      const found = await Promise.all(clientIds.map((id) => this.#options.registry.find(id)))
      clientIds.forEach((clientId, i) => {
        const client = found[i]
        if (client) connected.push({ clientId, client })
      })
    }
    return connected
  }

  /** Published where `before` is, so that in a Cluster, too, what is published there later arrives later. */
  async send(clientIds: readonly string[], text: string, before?: Keys): Promise<readonly boolean[]> {
    const { connection, keySpace, countsReceivers } = this.#options
    const perCall = Math.min(maxChannels, Math.ceil(maxCharacters / (text.length + 1)))
    const reached: boolean[] = []
    for (const ids of chunksOf(clientIds, perCall)) {
      const key = before?.main ?? keySpace.registry(clientIds[0] ?? '')
      const call = { script: lockScripts.clientTell, keys: [key], args: [text, ...ids.map(inboxOf)] }
      const reply = await connection.run(call, asList)
      const error = textAt(reply, ids.length)
      if (error !== '') this.#options.onNoticeError(error)
      reached.push(...ids.map((_, i) => (!countsReceivers && error === '') || numberAt(reply, i) > 0))
    }
    return reached
  }

  /** The masters; connects to a cluster first, to know them. */
  async #masters(): Promise<ReadonlySet<string>> {
    const { connection, registry, clientId } = this.#options
    if (connection.masters().size === 0) await registry.find(clientId)
    return connection.masters()
  }

  async #callAt<T>(
    master: string,
    command: readonly [string, ...(string | number)[]],
    read: (reply: unknown) => T,
  ): Promise<T> {
    try {
      return await this.#options.connection.callAt(master, command, read)
    } catch (error) {
      if (hasCode(error, 'NOPERM')) throw notPermitted(error)
      if (!(error instanceof RefusedError)) await this.#lookForSlotsOf(master)
      throw error
    }
  }

  /** Has the cluster client find out which node has the slots of a master that is gone. Never rejects. */
  async #lookForSlotsOf(master: string): Promise<void> {
    const { connection, keySpace, registry } = this.#options
    // Of one that is not known any more the client has found that out.
    if (master === '' || !connection.masters().has(master)) return
    for (let n = 0; n < 100_000; n += 1) {
      if (connection.routeOf(keySpace.registry(String(n))) !== master) continue
      await registry.find(String(n)).catch(() => undefined)
      return
    }
  }
}

const notPermitted = (error: unknown): RefusedError =>
  new RefusedError(
    `${error instanceof Error ? error.message : String(error)}; listing needs +scan +dbsize +pubsub|channels`,
    { cause: error, engine: engineName },
  )

function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** What those bring along who list objects and ask clients. */
export const operatorSteps = /* @__PURE__ */ new CarriedSteps({}, (session) => {
  const { connection, names: keySpace, registry, clientId, isSingle: countsReceivers } = session
  const onNoticeError = (error: string): void => session.onNoticeError(error)
  session.operator = new RedisOperator({
    connection,
    keySpace,
    registry,
    clientId,
    countsReceivers,
    onNoticeError,
  })
})

export interface ListingOptions {
  readonly keySpace: KeySpace
  masters(): Promise<ReadonlySet<string>>
  /** Grows with every connection that breaks. */
  epoch(): number
  call<T>(
    master: string,
    command: readonly [string, ...(string | number)[]],
    read: (reply: unknown) => T,
  ): Promise<T>
}

/** How many keys Redis looks at in one step, about. */
const keysPerStep = 500
/** It looks at this many in a millisecond, about. */
const keysPerMs = 1_000

/** How far a listing is; its text is the cursor. */
interface Progress {
  /** When the step before was sent. After a break it may be another server that has this one's address. */
  readonly epoch: number
  readonly total: number
  /** How many of them have not been looked at yet, about. */
  readonly left: number
  /** The cursor of Redis; '0' at the beginning. */
  readonly at: string
  readonly master: string
  readonly done: readonly string[]
}

/**
 * Lists objects by one SCAN after another, on one master after another.
 *
 * A cursor of Redis means nothing to another server. So once a connection has broken, the master that is being listed begins
 * again: after a failover that is the new one. A step that was rejected can be repeated. What moves to a master that is
 * through while slots migrate may be missed.
 */
export class Listing {
  readonly #options: ListingOptions

  constructor(options: ListingOptions) {
    this.#options = options
  }

  async step(cursor: string | null, { pattern, contended }: ListFilter): Promise<ListPage> {
    const { keySpace } = this.#options
    const masters = await this.#options.masters()
    const now = this.#resumed(cursor === null ? await this.#begin(masters) : read(cursor), masters)
    const { master, at, total, left } = now
    const match = matchOf(keySpace.head, pattern)
    const [next, keys] = await this.#options.call(
      master,
      ['SCAN', at, 'MATCH', match, 'COUNT', keysPerStep],
      readScan,
    )
    // Redis does not say how many keys it looked at: about as many as it was asked for, if it has as many.
    const looked = Math.min(keysPerStep, left)
    const more = this.#next({ ...now, left: left - looked }, next, masters)
    return {
      found: this.#objectsOf(keys, contended),
      scanned: more === null ? left : looked,
      total,
      costMs: keysPerStep / keysPerMs,
      next: more,
    }
  }

  async #begin(masters: ReadonlySet<string>): Promise<Progress> {
    const epoch = this.#options.epoch()
    const sizes = await Promise.all(
      [...masters].map((each) => this.#options.call(each, ['DBSIZE'], (reply) => numberAt([reply], 0))),
    )
    const total = sizes.reduce((sum, size) => sum + size, 0)
    return { epoch, total, left: total, at: '0', ...first(masters, []) }
  }

  #resumed(before: Progress, masters: ReadonlySet<string>): Progress {
    const epoch = this.#options.epoch()
    if (before.epoch === epoch && masters.has(before.master)) return before
    const where = masters.has(before.master) ? {} : first(masters, before.done)
    return { ...before, ...where, epoch, at: '0' }
  }

  /** The cursor of the next step; `null` when no master is left. */
  #next(now: Progress, at: string, masters: ReadonlySet<string>): string | null {
    if (at !== '0' || now.epoch !== this.#options.epoch()) return write({ ...now, at })
    const done = [...now.done, now.master]
    const [master] = [...masters].filter((each) => !done.includes(each))
    return master === undefined ? null : write({ ...now, at, master, done })
  }

  #objectsOf(keys: readonly string[], contended: boolean): ListPage['found'] {
    const found = new Map<string, { readonly address: Address; readonly object: ObjectType }>()
    for (const key of keys) {
      const ours = readKey(this.#options.keySpace, key)
      if (ours && isEvidence(ours, contended)) {
        found.set(ours.keys.id, { address: ours.keys, object: ours.object })
      }
    }
    return [...found.values()]
  }
}

const objectTypes = ['read-write-lock', 'semaphore', 'latch'] as const
/** The keys of an object by what is in them. */
type KeyPart = 'main' | 'queue' | 'waiters' | 'fence' | 'ends' | 'size' | 'counted'

const parts: readonly { readonly part: KeyPart; readonly suffix: string; readonly isOfLocks: boolean }[] = [
  { part: 'queue', suffix: ':fifo', isOfLocks: true },
  { part: 'waiters', suffix: ':waiters', isOfLocks: true },
  { part: 'fence', suffix: ':fence', isOfLocks: true },
  { part: 'ends', suffix: ':ends', isOfLocks: false },
  { part: 'size', suffix: ':size', isOfLocks: false },
  { part: 'counted', suffix: ':counted', isOfLocks: false },
]

/** A key found in the store: whose it is, and what is in it. */
export interface FoundKey {
  readonly keys: Keys
  readonly object: ObjectType
  readonly part: KeyPart
}

/**
 * Reads any key of the store as one of ours: of an object of {@link nativeLayout}, or `null`. A value of another application
 * under such a name looks like one of ours by its key.
 */
export function readKey(space: KeySpace, key: string): FoundKey | null {
  const { head } = space
  // Most keys of a store that is shared with others end here.
  const start = key.startsWith('{') && !head.startsWith('{') ? 1 : 0
  if (!key.startsWith(head, start)) return null
  if (key.startsWith(space.registry(''))) return null
  const { part, suffix } = parts.find((each) => isSuffix(key, each)) ?? { part: 'main', suffix: '' }
  const base = key.slice(0, key.length - suffix.length)
  const object = objectTypes.find((type) => base.endsWith(suffixOf[type])) ?? 'lock'
  const isPlain = object === 'lock' && part === 'main'
  const tagged = object === 'lock' ? base : base.slice(0, -suffixOf[object].length)
  const lock = isPlain ? tagged : untagged(tagged)
  if (!lock.startsWith(head)) return null
  const name = lock.slice(head.length)
  if (name === '' || space.whyInvalid(name) !== undefined) return null
  const keys = space.locate(name, object)
  return keys[part] === key ? { keys, object, part } : null
}

/** Only locks have keys without the suffix of an object, so a lock's name may end as parts of other objects do. */
function isSuffix(key: string, { suffix, isOfLocks }: (typeof parts)[number]): boolean {
  if (!key.endsWith(suffix)) return false
  return isOfLocks || objectTypes.some((type) => key.endsWith(suffixOf[type] + suffix))
}

/** Whether a key shows that its object is held or waited for. The clients that wait for a latch are its queue. */
function isEvidence({ part, object }: FoundKey, contended: boolean): boolean {
  if (part === 'main') return !contended
  return part === (object === 'latch' ? 'waiters' : 'queue')
}

/** Where to go on after a master that is gone. If no other is left, those that are through may have got its slots. */
function first(masters: ReadonlySet<string>, done: readonly string[]): Pick<Progress, 'master' | 'done'> {
  const left = [...masters].filter((each) => !done.includes(each))
  const [master] = left.length > 0 ? left : masters
  if (master === undefined) throw new UnavailableError('no master is known', { engine: engineName })
  return { master, done: left.length > 0 ? done : [] }
}

const write = ({ epoch, total, left, at, master, done }: Progress): string =>
  [epoch, total, left, at, master, ...done].join(' ')

function read(cursor: string): Progress {
  const [epoch, total, left, at = '0', master = '', ...done] = cursor.split(' ')
  return { epoch: Number(epoch), total: Number(total), left: Number(left), at, master, done }
}

function readScan(given: unknown): readonly [next: string, keys: readonly string[]] {
  const reply = asList(given)
  const keys = asList(reply[1])
  return [textAt(reply, 0), keys.map((_, i) => textAt(keys, i))]
}

/** How many wildcards of a pattern MATCH keeps: on long keys, Redis's time grows with the power of their number. */
const keptWildcards = 1

/**
 * The MATCH for keys of objects whose names fit a pattern. It lets more keys pass than those, since names are compared where
 * they are read; it spares the network most of the others.
 *
 * @param head - what keys have before the name
 */
export function matchOf(head: string, pattern: string): string {
  const [start = '', ...others] = literalsOf(pattern)
  const kept = others.filter((literal) => literal !== '').slice(0, keptWildcards)
  return `*${[head + start, ...kept].map(escaped).join('*')}*`
}

/** What stands between the wildcards. `?` is one, too: in a pattern it is a character, in Redis a byte. */
function literalsOf(pattern: string): string[] {
  const literals: string[] = []
  let literal = ''
  let isEscaped = false
  for (const char of pattern) {
    if (!isEscaped && (char === '*' || char === '?')) {
      literals.push(literal)
      literal = ''
    } else if (isEscaped || char !== '\\') literal += char
    isEscaped = !isEscaped && char === '\\'
  }
  return [...literals, literal]
}

const escaped = (text: string): string => text.replace(/[*?[\]\\]/g, '\\$&')
