import type { AcquireReply, RenewalReply } from '../../engine/replies.js'
import type { AcquireRequest, ObjectType } from '../../engine/requests.js'
import type { EngineHost } from '../../engine/session.js'
import { InvalidArgumentError } from '../../errors.js'
import type { Keys } from '../keys.js'
import type { RedisRenewal } from '../kinds/calls.js'
import { RedisSession } from '../session.js'
import type { RedisSessionOptions } from '../session.js'
import { RedissonPeers } from './peers.js'
import type { Publishing } from './publishing.js'

export interface RedissonSessionOptions extends RedisSessionOptions {
  readonly publishing: Publishing
}

/** A session whose objects are shared with Redisson: waiters also need its release messages. */
export class RedissonSession extends RedisSession {
  readonly #peers: RedissonPeers
  readonly #isCluster: boolean
  readonly #longestLeaseMs: number

  constructor(host: EngineHost, options: RedissonSessionOptions) {
    super(host, options)
    this.#isCluster = options.connections.cluster !== null
    this.#longestLeaseMs = host.watchdogTimeoutMs
    const { connection, hub, hubOptions } = this
    this.#peers = new RedissonPeers({
      connections: options.connections,
      connection,
      publishing: options.publishing,
      hub,
      hubOptions,
      keepMs: host.watchdogTimeoutMs,
      host,
    })
  }

  /** Redisson's clients put a latch and its channel into different slots if the name has braces, which a Cluster refuses. */
  override locate(name: string, object: ObjectType, form?: string): Keys {
    const keys = super.locate(name, object, form)
    if (object === 'latch' && this.#isCluster && keys.main.includes('{')) {
      throw new InvalidArgumentError(
        `a latch that is shared with Redisson must not have braces in its name in a Cluster: ${name}`,
        { lockName: name },
      )
    }
    return keys
  }

  override async prepare(keys: Keys): Promise<void> {
    await super.prepare(keys)
    await this.#peers.prepare(keys.main)
  }

  override async acquire(keys: Keys, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply> {
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

  override isSubscribed(keys: Keys): boolean {
    return super.isSubscribed(keys) && this.#peers.isSubscribed(keys)
  }

  override async subscribe(keys: Keys): Promise<void> {
    await Promise.all([super.subscribe(keys), this.#peers.whenSubscribed(keys)])
  }

  watch(keys: Keys): void {
    this.#peers.watch(keys)
  }

  unwatch(keys: Keys): void {
    this.#peers.unwatch(keys)
  }

  override register(): Promise<void> {
    this.#peers.relocate()
    return super.register()
  }

  override async close(): Promise<void> {
    await this.#peers.close()
    await super.close()
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
