import type {
  AcquireReply,
  AcquireRequest,
  Addressing,
  ObjectType,
  RenewalReply,
} from '../../engine/requests.js'
import type { EngineHost, EngineSession, LockEngine, Registry, Sharing } from '../../engine/session.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { checkObject, checkOptions } from '../../options/checks.js'
import { shown } from '../../util/mistakes.js'
import { latchesOf, type RedisLatches } from '../carried-steps.js'
import { RedisCommands, type RedisCommandsOptions, type RedisRenewal } from '../commands.js'
import { reach, resolveRedisSettings, traitsOf, type RedisOptions, type RedisSettings } from '../engine.js'
import { engineName } from '../errors.js'
import type { Keys, KeySpace } from '../keys.js'
import type { Replicas } from '../replicas.js'
import { lockScripts } from '../scripts/generated.js'
import type { RedisFacts } from '../server-identity.js'
import { RedisSession, type RedisSessionOptions } from '../session.js'
import {
  layoutWith,
  permitExpirableCalls,
  Publishing,
  redissonLatchCalls,
  redissonLockCalls,
  redissonReadWriteCalls,
  rSemaphoreCalls,
  type RedissonSemaphore,
} from './calls.js'
import { scripts } from './generated.js'
import { RedissonPeers } from './peers.js'

const { clientIdentify, clientPermissions, clientRegister } = lockScripts
const { lockInspect, lockRefresh, lockRenew, lockSetCount } = lockScripts

/** Steps that are the same whether or not Redisson takes part. */
const asAmongOurs = [
  ...[clientIdentify, clientPermissions, clientRegister],
  ...[lockInspect, lockRefresh, lockRenew, lockSetCount],
]

/**
 * Shares the objects of a client with Java services that use Redisson, 3.24 to 4.7: its `RLock`, `RReadWriteLock`,
 * `RCountDownLatch`, the semaphores that `semaphores` names and, by `getFencedLock`, its `RFencedLock` of the same name, whose tokens
 * form one increasing sequence. Every Holdfast client of these objects must use this engine.
 *
 * Three or more of them are the masters of a `HoldfastQuorum` that shares its locks with `RedissonRedLock`.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisson(options: RedissonOptions): LockEngine {
  const settings = resolveRedisson(options)
  const { semaphores } = options
  return {
    name: engineName,
    // Redisson's waiters compete for a free lock, so ours are notified of it rather than granted it.
    traits: traitsOf(settings, { kinds: ['shared', 'latch'], fifo: false, handOff: 'wake' }),
    sharing: sharingWith(semaphores),
    open(host): RedissonSession {
      const reached = reach(options, settings, host)
      const publishing = new Publishing()
      const calls = {
        lock: redissonLockCalls(reached.connections.cluster === null, publishing),
        'read-write-lock': redissonReadWriteCalls(publishing),
        semaphore: rSemaphoreCalls(publishing),
        permits: permitExpirableCalls(publishing),
      }
      return new RedissonSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: layoutWith(semaphores),
        openSteps: (common) =>
          new RedissonCommands({ ...common, calls, longestLeaseMs: host.watchdogTimeoutMs }),
        scripts: [...asAmongOurs, ...Object.values(scripts)],
        publishing,
        hasSemaphores: semaphores !== undefined,
      })
    },
  }
}

interface RedissonCommandsOptions extends RedisCommandsOptions {
  /** How long a lease of a read/write lock may be: `watchdogTimeoutMs`. */
  readonly longestLeaseMs: number
}

/** Refuses leases that Redisson's clients would end early. */
class RedissonCommands extends RedisCommands {
  readonly #longestLeaseMs: number

  constructor(options: RedissonCommandsOptions) {
    super(options)
    this.#longestLeaseMs = options.longestLeaseMs
  }

  override async acquire(keys: Keys, request: AcquireRequest, timeoutMs?: number): Promise<AcquireReply> {
    this.#refuseLongLease(keys, request.leaseMs)
    return super.acquire(keys, request, timeoutMs)
  }

  override async renew(
    renewals: readonly RedisRenewal[],
    timeoutMs: number,
  ): Promise<readonly RenewalReply[]> {
    for (const { address, leaseMs } of renewals) this.#refuseLongLease(address, leaseMs)
    return super.renew(renewals, timeoutMs)
  }

  /** A reader in Java has its watchdog set the time to live of the whole lock, whatever the leases of other readers. */
  #refuseLongLease({ kind, name }: Keys, leaseMs: number): void {
    if (kind !== 'read-write-lock' || leaseMs <= this.#longestLeaseMs) return
    throw new InvalidArgumentError(
      `leaseMs of a read/write lock that is shared with Redisson must be at most watchdogTimeoutMs (${this.#longestLeaseMs}), ` +
        `got ${leaseMs}: renewals by readers in Java would end a longer lease early`,
      { lockName: name },
    )
  }
}

/** Where Redis is, and what of it is shared with Redisson. Its objects have no prefix. */
export interface RedissonOptions extends Omit<RedisOptions, 'prefix'> {
  /**
   * Which of Redisson's semaphores `getSemaphore` is to share. For both, make a client for each. Without it
   * `getSemaphore` is refused.
   */
  readonly semaphores?: RedissonSemaphore | undefined
}

const options: Record<keyof RedissonOptions, true> = {
  redis: true,
  credentials: true,
  semaphores: true,
  minReplicas: true,
  replicaTimeoutMs: true,
}
const optionNames = new Set(Object.keys(options))
const forms: Record<RedissonSemaphore, true> = { RSemaphore: true, RPermitExpirableSemaphore: true }

/** How to choose one. */
const choiceOfForms = Object.keys(forms)
  .map((form) => `'${form}'`)
  .join(' or ')

/** Checks the options and fills in the defaults. */
function resolveRedisson(given: RedissonOptions): RedisSettings {
  const hint = '; say where Redis is, as in redisson({ redis: url })'
  checkObject(given, hint)
  checkOptions(given, optionNames)
  const { semaphores } = given
  if (semaphores !== undefined && !Object.hasOwn(forms, semaphores)) {
    throw new InvalidArgumentError(`semaphores must be ${choiceOfForms}, got ${shown(semaphores)}`)
  }
  return resolveRedisSettings({ ...given, prefix: '' })
}

/** Redisson has a client for each master of a quorum, with an id of its own: all that the owners of one thread share is its number. */
const foreignOwner = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:(-?\d+)$/

/** A permit of an `RPermitExpirableSemaphore` has no owner but its id, 16 bytes in hexadecimal digits. */
const permitId = /^[\da-f]{32}$/

/** What the core must know of Redisson. */
const sharingWith = (semaphores: RedissonSemaphore | undefined): Sharing => ({
  library: 'Redisson',
  tokenAdvice: (object) =>
    object === 'lock'
      ? 'use getFencedLock (RFencedLock in Java)'
      : 'sides of a read/write lock have none, as in Java: use getFencedLock',
  foreignOwnerOf(owner) {
    const thread = foreignOwner.exec(owner)?.[1]
    return thread === undefined ? undefined : `redisson:${thread}`
  },
  isForeignHolder: (text) => semaphores === 'RPermitExpirableSemaphore' && permitId.test(text),
  checkResize(semaphore, keepMs) {
    if (semaphores === 'RSemaphore') {
      throw new InvalidArgumentError(
        `semaphore ${semaphore} is an RSemaphore, which has no size: change its free permits in Java, with addPermits`,
        { lockName: semaphore },
      )
    }
    if (keepMs !== undefined) {
      throw new InvalidArgumentError(
        `keepMs must be left out: Redisson keeps what semaphore ${semaphore} is resized to for good`,
        { lockName: semaphore },
      )
    }
  },
})

interface RedissonSessionOptions extends RedisSessionOptions {
  readonly publishing: Publishing
  readonly hasSemaphores: boolean
}

/**
 * A session whose objects are shared with Redisson: waiters also need its release messages. It has the steps of all kinds, and carries no
 * others.
 */
class RedissonSession implements EngineSession {
  readonly store: RedisFacts
  readonly names: RedissonAddressing
  readonly steps: RedisCommands
  readonly inbox: RedissonPeers
  readonly registry: Registry
  readonly latches: RedisLatches
  readonly confirmer: Replicas | undefined
  readonly #redis: RedisSession

  constructor(host: EngineHost, options: RedissonSessionOptions) {
    const { connections, publishing, hasSemaphores } = options
    const redis = new RedisSession(host, options)
    const { connection, hub, hubOptions, inbox, registry } = redis
    this.#redis = redis
    this.store = redis.store
    this.steps = redis.steps
    this.latches = latchesOf(redis, redissonLatchCalls(publishing))
    this.confirmer = redis.confirmer
    const isCluster = connections.cluster !== null
    this.names = new RedissonAddressing({ keySpace: redis.names, isCluster, hasSemaphores })
    const keepMs = host.watchdogTimeoutMs
    const peersOf = { connections, connection, publishing, inbox, hub, hubOptions, keepMs, host }
    const peers = new RedissonPeers(peersOf)
    this.inbox = peers
    this.registry = {
      register: () => {
        peers.relocate()
        return registry.register()
      },
      find: (clientId) => registry.find(clientId),
    }
  }

  async prepare(keys: Keys): Promise<void> {
    await this.#redis.prepare(keys)
    await this.inbox.prepare(keys.main)
  }

  async close(): Promise<void> {
    await this.inbox.close()
    await this.#redis.close()
  }
}

interface RedissonAddressingOptions {
  readonly keySpace: KeySpace
  readonly isCluster: boolean
  readonly hasSemaphores: boolean
}

/** Refuses what Redisson's clients could not have, too. */
class RedissonAddressing implements Addressing {
  readonly #options: RedissonAddressingOptions

  constructor(options: RedissonAddressingOptions) {
    this.#options = options
  }

  /** Redisson's clients put a latch and its channel into different slots if the name has braces, which a Cluster refuses. */
  locate(name: string, object: ObjectType): Keys {
    const { keySpace, isCluster, hasSemaphores } = this.#options
    const keys = keySpace.locate(name, object)
    if (object === 'semaphore' && !hasSemaphores) {
      throw new InvalidArgumentError(
        `which semaphore of Redisson ${name} is must be said where the engine is made: redisson({ redis, semaphores: ${choiceOfForms} })`,
        { lockName: name },
      )
    }
    if (object === 'latch' && isCluster && keys.main.includes('{')) {
      throw new InvalidArgumentError(
        `a latch that is shared with Redisson must not have braces in its name in a Cluster: ${name}`,
        { lockName: name },
      )
    }
    return keys
  }

  resolve(id: string): Keys | null {
    return this.#options.keySpace.resolve(id)
  }
}
