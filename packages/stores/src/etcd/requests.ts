import type { HoldfastError } from '@holdfast/core/engine'
import type { Client } from './client/client.js'
import { isLeaseGone, sessionOver, toEtcdError } from './errors.js'
import type { EtcdSettings } from './options.js'
import type { Session } from './session.js'
import * as kv from './wire/kv.js'
import type { Message } from './wire/protobuf.js'

/** Requests to etcd, whose failures are errors of ours. */
export class Requests {
  readonly #settings: Pick<EtcdSettings, 'prefix' | 'user'>
  readonly #client: Client
  readonly #session: Session

  constructor(settings: Pick<EtcdSettings, 'prefix' | 'user'>, client: Client, session: Session) {
    this.#settings = settings
    this.#client = client
    this.#session = session
  }

  /** Rejects with an error of ours; for a lease that is gone, with what etcd says. */
  async call(call: string, request: Buffer, timeoutMs: number): Promise<Message> {
    try {
      return await this.#client.call(call, request, timeoutMs)
    } catch (error) {
      throw isLeaseGone(error) ? error : this.errorOf(error)
    }
  }

  async range(request: Buffer, timeoutMs: number): Promise<kv.RangeReply> {
    return kv.rangeOf(await this.call('KV/Range', request, timeoutMs))
  }

  async txn(request: Buffer, timeoutMs: number): Promise<kv.TxnReply> {
    return kv.txnOf(await this.call('KV/Txn', request, timeoutMs))
  }

  /** Does something with the lease of the session. If it turns out to be gone, the session has ended. */
  async ofSession<T>(left: () => number, work: (lease: bigint) => Promise<T>): Promise<T> {
    const lease = await this.#session.lease(left())
    try {
      return await work(lease)
    } catch (error) {
      if (!isLeaseGone(error)) throw error
      this.#session.refused(lease)
      throw sessionOver()
    }
  }

  errorOf(error: unknown): HoldfastError {
    const { prefix, user } = this.#settings
    return toEtcdError(error, { server: this.#client.origin, prefix, username: user?.username })
  }
}
