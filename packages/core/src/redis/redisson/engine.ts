import type { AcquireReply, RenewalReply } from '../../engine/replies.js'
import type { AcquireRequest } from '../../engine/requests.js'
import type { LockEngine } from '../../engine/session.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { RedisCommands, type RedisCommandsOptions, type RedisRenewal } from '../commands.js'
import { reach, traitsOf } from '../engine.js'
import { engineName } from '../errors.js'
import type { Keys } from '../keys.js'
import { lockScripts } from '../scripts/generated.js'
import {
  layoutWith,
  permitExpirableCalls,
  Publishing,
  redissonLockCalls,
  redissonReadWriteCalls,
  rSemaphoreCalls,
} from './calls.js'
import { scripts } from './generated.js'
import { resolveRedisson, sharingWith, type RedissonOptions } from './options.js'
import { RedissonSession } from './session.js'

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

export interface RedissonCommandsOptions extends RedisCommandsOptions {
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
