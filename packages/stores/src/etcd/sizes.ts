import type { NewSize, Queue } from '../sessions/index.js'
import { countdown } from './countdown.js'
import { sizeValueOf } from './entries.js'
import type { Keys } from './keys.js'
import type { Requests } from './requests.js'
import * as kv from './wire/kv.js'
import { byLease, grantOf, leaseOf } from './wire/leases.js'

const noLease = 0n

/** Writes how many permits objects have since they were resized, and beside it a key with a lease that lasts as long. */
export class Sizes {
  readonly #requests: Requests
  readonly #keys: Keys

  constructor(requests: Requests, keys: Keys) {
    this.#requests = requests
    this.#keys = keys
  }

  async set(queue: Queue, size: NewSize, version: number, timeoutMs: number): Promise<boolean> {
    const left = countdown(timeoutMs)
    const key = this.#keys.size(queue)
    const lasts = this.#keys.sizeLasts(queue)
    const put = kv.thenPut(kv.putOf(key, sizeValueOf(size), noLease))
    // The second step of a resize leaves its time as it is.
    const isBegun = size.before !== undefined && size.size !== null
    const lease = isBegun ? await this.#grant(size.keepMs, left()) : noLease
    const others = isBegun ? [kv.thenPut(kv.putOf(lasts, '', lease))] : []
    if (size.size === null) others.push(kv.thenDelete(lasts))
    const read = kv.thenRange(kv.rangeOfKey(lasts))
    const request = kv.txnOfOperations([kv.isWrittenAt(key, version)], [read, put, ...others])
    const reply = await this.#requests.txn(request, left())
    const [last] = reply.isDone ? kv.rangeAt(reply, 0).keys : []
    const unused = reply.isDone ? (others.length > 0 ? (last?.lease ?? noLease) : noLease) : lease
    if (unused !== noLease)
      this.#requests.call('Lease/LeaseRevoke', byLease(unused), left()).catch(() => undefined)
    return reply.isDone
  }

  async unset(queue: Queue, version: number, timeoutMs: number): Promise<void> {
    const key = this.#keys.size(queue)
    const conditions = [kv.isWrittenAt(key, version), kv.areAbsent(this.#keys.entries(queue))]
    await this.#requests.txn(kv.txnOfOperations(conditions, [kv.thenDelete(key)]), timeoutMs)
  }

  async #grant(keepMs: number, timeoutMs: number): Promise<bigint> {
    const keepS = Math.ceil(keepMs / 1_000)
    return leaseOf(await this.#requests.call('Lease/LeaseGrant', grantOf(keepS), timeoutMs)).lease
  }
}
