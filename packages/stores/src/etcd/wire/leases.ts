import { headerOf, type Header } from './kv.js'
import { encode, type Message } from './protobuf.js'

/** Requests and replies about leases, users and watches of etcd's `rpc.proto`. */

/** What a reply says of a lease. */
export interface LeaseReply extends Header {
  readonly lease: bigint
  /** How long it is to live from now on, seconds; 0 or less: it has ended. */
  readonly ttlS: number
}

export const leaseOf = (reply: Message): LeaseReply => ({
  ...headerOf(reply),
  lease: reply.big(2),
  ttlS: reply.number(3),
})

export const grantOf = (ttlS: number): Buffer => encode([1, ttlS])

/** Names the lease to keep alive, to revoke, or to look at. */
export const byLease = (lease: bigint): Buffer => encode([1, lease])

export const authenticateOf = (username: string, password: string): Buffer =>
  encode([1, username], [2, password])

export const tokenOf = (reply: Message): string => reply.text(2)
