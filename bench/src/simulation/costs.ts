/**
 * What the steps of a lock cost on this machine. Microseconds of CPU time, unless the name says otherwise; `redis…` on the
 * server's main thread, `client…` in a Node.js process with one Holdfast client.
 */
export interface Costs {
  /** One way between two processes, beyond the work of both: kernel and wake-up. */
  readonly linkUs: number
  /** An `acquire` that enters a free lock. */
  readonly redisAcquireUs: number
  /** An `acquire` that queues, or repeats a queued request. */
  readonly redisAskUs: number
  /** A `release` without waiters. */
  readonly redisReleaseUs: number
  /** A `release` that hands over and publishes. */
  readonly redisHandOverUs: number
  /** A hold's renewal in a separate command. */
  readonly redisSingleRenewalUs: number
  /** A hold's share of a command that renews 500. */
  readonly redisSharedRenewalUs: number
  /** A queue entry's share of a command that refreshes 500. */
  readonly redisRefreshUs: number
  /** Housekeeping besides renewals and refreshes, every third of `watchdogTimeoutMs`: registration, and a ping. */
  readonly redisUpkeepUs: number
  /** Both connections of a client break and reconnect, and its one hold is renewed. */
  readonly redisReconnectUs: number
  /** Beyond a publish on a single server: forwarding the message to one other node of the Cluster. */
  readonly redisBusSendUs: number
  /** Receiving a message without subscribers from the bus. */
  readonly redisBusReceiveUs: number
  /** Written to the bus for one message to one other node, in bytes. */
  readonly busBytes: number
  /** Requesting a held lock, until the reply was processed. */
  readonly clientAskUs: number
  /** From the notification of a grant to the reply to the release. */
  readonly clientHandOverUs: number
  /** The part of `clientHandOverUs` before the release is sent. */
  readonly clientBeforeReleaseUs: number
  /** A hold's share of the renewal of 500. */
  readonly clientSharedRenewalUs: number
  /** A hold's renewal in a separate command. */
  readonly clientSingleRenewalUs: number
  /** Memory at the server: a held lock, a waiter, and a client's two connections with its name, in bytes. */
  readonly redisHoldBytes: number
  readonly redisWaiterBytes: number
  readonly redisClientBytes: number
}

/** The fixed cost of a command and the cost per lock: the line through the costs for 1 lock and for 500. */
export function affine(single: number, shared: number): { readonly command: number; readonly lock: number } {
  const lock = (500 * shared - single) / 499
  return { command: Math.max(0, single - lock), lock }
}
