import type { Redis } from 'ioredis'
import type { Keys } from '../../src/redis/keys.js'
import { scripts, type ScriptName } from '../../src/redis/scripts/generated.js'
import { openRedisClient } from './clients.js'

export interface SharedRequest {
  want?: number
  size?: number
  leaseMs?: number
  entryTtlMs?: number
  grantLeaseMs?: number
  tokenFloor?: number
  /** Whether the inbox of the queue entry is checked for subscribers. */
  checkInbox?: 0 | 1
  /** The inbox of the owner's client, if it is not one of its own. */
  inbox?: string
}

/** The scripts of one read/write lock or semaphore, run as they are, on a connection that belongs to no client of ours. */
export class SharedScripts {
  readonly #redis: Redis
  readonly #url: string
  readonly keys: Keys

  constructor(redis: Redis, url: string, keys: Keys) {
    this.#redis = redis
    this.#url = url
    this.keys = keys
  }

  get #keyList(): string[] {
    const { main, ends, queue, waiters, fence, size } = this.keys
    return [main, ends, queue, waiters, fence, size]
  }

  acquire(owner: string, request: SharedRequest = {}): Promise<unknown> {
    const { want = 1, size = 2, leaseMs = 30_000, entryTtlMs = 30_000, grantLeaseMs = 20_000 } = request
    const { tokenFloor = 0, checkInbox = 0, inbox = this.inboxOf(owner) } = request
    const waiting =
      entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} ${checkInbox} ${want} ${size} p ${inbox}` : ''
    return this.#run('sharedAcquire', this.#keyList, [owner, want, leaseMs, tokenFloor, waiting, size])
  }

  /** @param left - the permits that the owner keeps */
  release(owner: string, { left = 0, tombstoneMs = 0 } = {}): Promise<unknown> {
    const tombstone = tombstoneMs > 0 ? [tombstoneMs] : []
    return this.#run('sharedRelease', this.#keyList, [owner, left, 0, ...tombstone])
  }

  force(owner: string): Promise<unknown> {
    return this.#run('sharedForce', this.#keyList, [owner, this.inboxOf(owner), 0])
  }

  resize(size: number, { version = 0, id = `to ${size}`, keepMs = 60_000 } = {}): Promise<unknown> {
    return this.#run('sharedResize', this.#keyList, [size, keepMs, version, id, 0])
  }

  renew(owner: string, leaseMs = 30_000): Promise<unknown> {
    return this.#run('sharedRenew', [this.keys.main, this.keys.ends], [owner, leaseMs])
  }

  /** Refreshes the queue entries of these owners in one call. */
  refresh(...owners: string[]): Promise<unknown> {
    const { main, ends, queue, waiters, size } = this.keys
    const each = [main, ends, queue, waiters, size]
    const args = owners.flatMap((owner) => [owner, 30_000])
    return this.#run(
      'sharedRefresh',
      owners.flatMap(() => each),
      args,
    )
  }

  inspect(maxEntries = 10): Promise<unknown> {
    return this.#run('sharedInspect', this.#keyList, [maxEntries])
  }

  /** Channels know no databases, and other tests' owners have the same names. */
  inboxOf(owner: string): string {
    return `${this.keys.main}/${owner}`
  }

  /** Subscribes to the inboxes of these owners, as their clients would. Returns what arrives there. */
  async hear(...owners: string[]): Promise<string[]> {
    const subscriber = openRedisClient(this.#url)
    const heard: string[] = []
    subscriber.on('message', (_: string, message: string) => heard.push(message))
    await subscriber.subscribe(...owners.map((owner) => this.inboxOf(owner)))
    return heard
  }

  /** Who holds how many permits. */
  async holders(): Promise<Record<string, number>> {
    const { used: _, ...holds } = await this.#redis.hgetall(this.keys.main)
    return Object.fromEntries(Object.entries(holds).map(([owner, hold]) => [owner, parseInt(hold)]))
  }

  async tokenOf(owner: string): Promise<string> {
    return (await this.#redis.hget(this.keys.main, owner))?.split(' ')[1] ?? ''
  }

  queue(): Promise<string[]> {
    return this.#redis.lrange(this.keys.queue, 0, -1)
  }

  waiters(): Promise<Record<string, string>> {
    return this.#redis.hgetall(this.keys.waiters)
  }

  /** The sum of permits that the object claims, and what its holds come to. */
  async sums(): Promise<{ used: number; held: number; ends: number }> {
    const held = Object.values(await this.holders())
    return {
      used: Number(await this.#redis.hget(this.keys.main, 'used')),
      held: held.reduce((sum, permits) => sum + permits, 0),
      ends: (await this.#redis.zcard(this.keys.ends)) - held.length,
    }
  }

  /** Ends a hold, as time would, before a script finds it. */
  async end(...owners: string[]): Promise<void> {
    for (const owner of owners) await this.#redis.zadd(this.keys.ends, 'XX', 1, owner)
  }

  /** A queue entry whose owner has not refreshed it in time, before a script finds it. */
  async makeStale(owner: string): Promise<void> {
    const entry = (await this.waiters())[owner] ?? ''
    await this.#redis.hset(this.keys.waiters, owner, `1${entry.slice(entry.indexOf(' '))}`)
  }

  /** All of it byte for byte. */
  async dumps(): Promise<string[]> {
    return (await Promise.all(this.#keyList.map((key) => this.#redis.dumpBuffer(key)))).map(String)
  }

  #run(name: ScriptName, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.#redis.eval(scripts[name].lua, keys.length, ...keys, ...args)
  }
}
