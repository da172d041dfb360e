import type { LatchNames, LatchStore, NewLatch, StoredLatch } from '../sessions/index.js'
import { countdown } from './countdown.js'
import { isLeaseGone } from './errors.js'
import { encodeName, latchNameOf, type Keys } from './keys.js'
import type { Requests } from './requests.js'
import type { Watches } from './watches.js'
import * as kv from './wire/kv.js'
import { byLease, grantOf, leaseOf } from './wire/leases.js'

export interface LatchesDeps {
  readonly requests: Requests
  readonly keys: Keys
  readonly watches: Watches
  readonly clientId: string
  /** How long those that wait say that they do, at the least. */
  readonly waitMs: number
}

/** A latch, as it was read. */
class EtcdLatch implements StoredLatch {
  readonly text: string
  readonly version: number
  /** All keys of the latch are attached to it, but for those that wait. */
  readonly lease: bigint

  constructor({ value, writtenAt, lease }: kv.KeyValue) {
    this.text = value
    this.version = writtenAt
    this.lease = lease
  }
}

const leaseOfLatch = (latch: StoredLatch | null): bigint => (latch instanceof EtcdLatch ? latch.lease : 0n)

/** Latches in etcd: each has a lease, which lasts as long as the latch is kept after its last use. */
export class EtcdLatches implements LatchStore {
  readonly #deps: LatchesDeps

  constructor(deps: LatchesDeps) {
    this.#deps = deps
  }

  async read(name: string, timeoutMs: number): Promise<StoredLatch | null> {
    const { requests, keys } = this.#deps
    const [found] = (await requests.range(kv.rangeOfKey(keys.latchState(name)), timeoutMs)).keys
    return found ? new EtcdLatch(found) : null
  }

  async watch(name: string, callback: () => void, timeoutMs: number): Promise<() => void> {
    const { requests, keys, watches } = this.#deps
    const key = keys.latchState(name)
    const { revision } = await requests.range(kv.rangeOfKeyOnly(key), timeoutMs)
    const stop = watches.add({ key }, revision + 1, () => {
      stop()
      callback()
    })
    return stop
  }

  async write(
    name: string,
    read: StoredLatch | null,
    { text, keepMs, isClosed }: NewLatch,
    timeoutMs: number,
  ): Promise<boolean> {
    const { keys, requests, waitMs } = this.#deps
    const left = countdown(timeoutMs)
    const keepS = Math.ceil(Math.max(keepMs, 2 * waitMs) / 1_000)
    const granted = await requests.call('Lease/LeaseGrant', grantOf(keepS), left())
    const { lease } = leaseOf(granted)
    const state = keys.latchState(name)
    const closed = keys.latchClosed(name)
    const operations = [
      kv.thenPut(kv.putOf(state, text, lease)),
      isClosed ? kv.thenPut(kv.putOf(closed, '', lease)) : kv.thenDelete(closed),
    ]
    const condition = kv.isWrittenAt(state, read?.version ?? 0)
    const { isDone } = await requests.txn(kv.txnOfOperations([condition], operations), left())
    this.#revoke(isDone ? leaseOfLatch(read) : lease, left())
    return isDone
  }

  async count(
    name: string,
    read: StoredLatch,
    round: string,
    party: string,
    timeoutMs: number,
  ): Promise<number | null> {
    const { keys, requests } = this.#deps
    const prefix = keys.latchParties(name, round)
    const lease = leaseOfLatch(read)
    const put = kv.thenPut(kv.putOf(prefix + encodeName(party), '', lease))
    const all = kv.thenRange(kv.rangeOfPrefix(prefix, { keysOnly: true, limit: 1 }))
    const condition = kv.isWrittenAt(keys.latchState(name), read.version)
    try {
      const reply = await requests.txn(kv.txnOfOperations([condition], [put, all]), timeoutMs)
      return reply.isDone ? kv.rangeAt(reply, 1).count : null
    } catch (error) {
      if (isLeaseGone(error)) return null
      throw error
    }
  }

  parties(name: string, round: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    return this.#names(this.#deps.keys.latchParties(name, round), limit, timeoutMs)
  }

  async keep(_name: string, read: StoredLatch, timeoutMs: number): Promise<void> {
    try {
      await this.#deps.requests.call('Lease/LeaseKeepAlive', byLease(leaseOfLatch(read)), timeoutMs)
    } catch (error) {
      // Then the latch is gone, or another lease keeps it.
      if (!isLeaseGone(error)) throw error
    }
  }

  async leftMs(_name: string, read: StoredLatch, timeoutMs: number): Promise<number> {
    const request = byLease(leaseOfLatch(read))
    const reply = leaseOf(await this.#deps.requests.call('Lease/LeaseTimeToLive', request, timeoutMs))
    return Math.max(0, reply.ttlS) * 1_000
  }

  async attend(name: string, isWaiting: boolean, timeoutMs: number): Promise<void> {
    const { clientId, keys, requests } = this.#deps
    const key = keys.latchWaits(name) + encodeName(clientId)
    if (!isWaiting) {
      await requests.call('KV/DeleteRange', kv.deleteOf(key), timeoutMs)
      return
    }
    const left = countdown(timeoutMs)
    await requests.ofSession(left, (lease) => requests.call('KV/Put', kv.putOf(key, '', lease), left()))
  }

  waiters(name: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    return this.#names(this.#deps.keys.latchWaits(name), limit, timeoutMs)
  }

  async #names(prefix: string, limit: number, timeoutMs: number): Promise<LatchNames> {
    const range = kv.rangeOfPrefix(prefix, { keysOnly: true, limit })
    const { count, keys } = await this.#deps.requests.range(range, timeoutMs)
    return { count, some: keys.map(({ key }) => latchNameOf(key)) }
  }

  #revoke(lease: bigint, timeoutMs: number): void {
    if (lease === 0n) return
    this.#deps.requests.call('Lease/LeaseRevoke', byLease(lease), timeoutMs).catch(() => undefined)
  }
}
