import type { AcquireReply, RenewalReply } from '../../engine/replies.js'
import type { AcquireRequest } from '../../engine/requests.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { RedisCommands } from '../commands.js'
import type { RedisCommandsOptions } from '../commands.js'
import type { Keys } from '../keys.js'
import type { RedisRenewal } from '../kinds/calls.js'

export interface RedissonCommandsOptions extends RedisCommandsOptions {
  /** How long a lease of a read/write lock may be: `watchdogTimeoutMs`. */
  readonly longestLeaseMs: number
}

/** Refuses leases that Redisson's clients would end early. */
export class RedissonCommands extends RedisCommands {
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
