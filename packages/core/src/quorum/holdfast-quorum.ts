import { inspect, type InspectOptions } from 'node:util'
import { BaseClient } from '../lock-client.js'
import { isEngine, type LockEngine } from '../engine/session.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { checkName, unlessIndex } from '../options/checks.js'
import { Lock, ping } from '../objects/lock.js'
import { resolveReentrant, type LockOptions } from '../options/options.js'
import { checkSource, whereItBelongs } from '../redis/connection/template.js'
import { nativeEngine, type RedisOptions } from '../redis/engine.js'
import { operatorSteps } from '../redis/operator.js'
import { kindOf } from '../util/mistakes.js'
import { quorumOf } from './ballot.js'
import { QuorumClient } from './client.js'
import {
  checkEngines,
  checkMasters,
  checkQuorumOptions,
  resolveQuorumSettings,
  notIndependent,
  type QuorumClientOptions,
} from './options.js'

/** One of the independent masters of a quorum: a Redis as `new Holdfast({ redis })` takes it, or another engine. */
export type QuorumMaster = RedisOptions['redis'] | { readonly engine: LockEngine }

/** How a `HoldfastQuorum` behaves. The options of an acquisition given here are defaults for every call. */
export interface HoldfastQuorumOptions extends QuorumClientOptions {
  /**
   * The masters, at least 3, preferably an odd number; in the same order in all processes. They must share nothing: no
   * replication between them, no common machine, no common disk.
   */
  readonly masters: readonly QuorumMaster[]
  /**
   * Put before every lock name, at masters on Redis. Must be the same in all processes.
   *
   * @defaultValue 'lock:'
   */
  readonly prefix?: string | undefined
}

/**
 * A client for locks that a majority of several independent masters must confirm, so that they survive the loss of a
 * minority of them: one of 3 masters, or two of 5.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class HoldfastQuorum extends BaseClient {
  readonly #client: QuorumClient

  /** @throws `InvalidArgumentError` for a bad option, before anything is sent */
  constructor(options: HoldfastQuorumOptions) {
    checkQuorumOptions(options, ['masters', 'prefix'])
    const engines = enginesOf(options)
    if (new Set(engines).size < engines.length) throw notIndependent('the same engine')
    checkEngines(engines)
    const client = new QuorumClient(resolveQuorumSettings(options, engines), engines)
    super(client)
    this.#client = client
    refuseTwins(client.masters.map(({ storeName }) => storeName))
  }

  /**
   * The lock of this name. Sends nothing. Its leases have no fencing token: reading one throws.
   *
   * If too few masters can be reached, `tryLock` and limited waits reject with `UnavailableError`, which names the masters that
   * failed and why. If a master has replied that another owner holds the lock, `tryLock` may return `null` instead. An unlimited
   * wait goes on. A hold that loses its majority is lost with reason `minority`.
   *
   * @param name - 1 to 1024 bytes. Braces, if any, must form one Redis Cluster hash tag: `{tenant-7}:order`.
   * `lockName(text)` makes a valid name from any text
   * @param options - `reentrant`: whether calls on this handle re-enter
   * @throws `InvalidArgumentError` for an invalid name or option
   */
  getLock(name: string, options?: LockOptions): Lock
  getLock(name: string, options?: LockOptions, array?: unknown): Lock {
    return this.#lock(name, false, unlessIndex(options, array))
  }

  /**
   * The lock of this name, whose leases have a fencing token: larger than that of every earlier lease from
   * `getFencedLock`. Each acquisition takes one more round trip, in which a majority of the masters stores the token.
   *
   * @throws `InvalidArgumentError` as `getLock`, and if not all masters can keep a fencing token
   */
  getFencedLock(name: string, options?: LockOptions): Lock
  getFencedLock(name: string, options?: LockOptions, array?: unknown): Lock {
    const { whyNoTokens } = this.#client
    if (whyNoTokens !== undefined) {
      throw new InvalidArgumentError(`${whyNoTokens}; use getLock`, { lockName: name })
    }
    return this.#lock(name, true, unlessIndex(options, array))
  }

  /**
   * For health checks: resolves once a majority of the masters answers a read on the same path that locks use.
   *
   * @throws `UnavailableError`, which names the masters that did not reply within `memberTimeoutMs` and why; `ClosedError`
   */
  async ping(): Promise<void> {
    await ping(this.#client)
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    const masters = this.#client.masters.length
    return `HoldfastQuorum ${inspect({ masters, quorum: quorumOf(masters), ...this.stats() }, options)}`
  }

  #lock(name: string, isFenced: boolean, options: LockOptions | undefined): Lock {
    const reentrant = resolveReentrant(options)
    checkName(name)
    const [address] = this.#client.masters.map(({ names }) => names.locate(name, 'lock'))
    if (!address) throw new InvalidArgumentError('no masters')
    const target = { address, kind: 'lock', permits: 1, size: undefined } as const
    return new Lock(this.#client, target, isFenced, reentrant)
  }
}

function enginesOf({ masters, prefix }: HoldfastQuorumOptions): LockEngine[] {
  checkMasters(masters)
  // Unlike `map`, this does not skip the holes of an array.
  return Array.from(masters, (master, i) => {
    if (!isOfEngine(master)) {
      checkSource(master, `masters[${i}]`, 'quorum')
      return nativeEngine({ redis: master, prefix }, [operatorSteps])
    }
    if (prefix !== undefined) {
      throw new InvalidArgumentError(`prefix needs masters on Redis, but masters[${i}] is an engine`)
    }
    const other = Object.keys(master).find((option) => option !== 'engine')
    if (other !== undefined) {
      throw new InvalidArgumentError(`unknown option '${other}' of masters[${i}]; it takes engine only`)
    }
    const engine: unknown = master.engine
    if (isEngine(engine)) return engine
    throw new InvalidArgumentError(
      `masters[${i}].engine must be a lock engine such as memory(), got ${kindOf(engine)}${whereItBelongs(engine, 'quorum')}`,
    )
  })
}

/** By name: what is not an object is refused as a Redis. */
const isOfEngine = (master: QuorumMaster): master is { readonly engine: LockEngine } =>
  typeof master === 'object' && (master as unknown) !== null && 'engine' in master

/** One server that votes twice does not make a majority of independent ones. */
function refuseTwins(names: readonly string[]): void {
  const twin = names.find((name, i) => names.indexOf(name) !== i)
  if (twin !== undefined) throw notIndependent(twin)
}
