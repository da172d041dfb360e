import type { ListFilter, ListPage } from '../engine/operator.js'
import type { Address, ObjectType } from '../engine/requests.js'
import { UnavailableError } from '../errors/errors.js'
import { engineName } from './errors.js'
import type { FoundKey, KeySpace } from './keys.js'
import { matchOf } from './match.js'
import { asList, numberAt, textAt } from './reply.js'

/** What a listing needs of the connections. */
export interface ListingOptions {
  readonly keySpace: Pick<KeySpace, 'read' | 'head'>
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
  /** Which master is being listed. */
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
      const ours = this.#options.keySpace.read(key)
      if (ours && isEvidence(ours, contended)) {
        found.set(ours.keys.id, { address: ours.keys, object: ours.object })
      }
    }
    return [...found.values()]
  }
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
