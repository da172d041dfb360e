/**
 * What the steps of a lock cost on this machine. Microseconds of CPU time, unless the name says otherwise; `redis…` at the
 * server's main thread, `client…` in a Node process with one Holdfast client.
 */
export interface Costs {
  /** One way between two processes, beyond the work of both: the kernel and the waking up. */
  readonly linkUs: number
  /** An `acquire` that enters a free lock. */
  readonly redisAcquireUs: number
  /** An `acquire` that queues, or asks again from the queue. */
  readonly redisAskUs: number
  /** A `release` that nobody waits for. */
  readonly redisReleaseUs: number
  /** A `release` that hands over and publishes. */
  readonly redisHandOverUs: number
  /** A hold's renewal in a command of its own. */
  readonly redisSingleRenewalUs: number
  /** A hold's share of a command that renews 500. */
  readonly redisSharedRenewalUs: number
  /** A place's share of a command that refreshes 500. */
  readonly redisRefreshUs: number
  /** What a client sends every third of `watchdogTimeoutMs` beside renewals and refreshes: its name, and a ping. */
  readonly redisUpkeepUs: number
  /** Both connections of a client broken and made anew, with the one hold that it has renewed. */
  readonly redisReconnectUs: number
  /** Beyond a publish on a server alone: passing the message on to one other node of the Cluster. */
  readonly redisBusSendUs: number
  /** Taking a message from the bus that nobody subscribed to. */
  readonly redisBusReceiveUs: number
  /** Written to the bus for one message to one other node, in bytes. */
  readonly busBytes: number
  /** Asking for a held lock, up to having been answered. */
  readonly clientAskUs: number
  /** From the notice of a grant to the answer of the release. */
  readonly clientHandOverUs: number
  /** The part of it before the release is sent. */
  readonly clientBeforeReleaseUs: number
  /** A hold's share of the renewal of 500. */
  readonly clientSharedRenewalUs: number
  /** A hold's renewal in a command of its own. */
  readonly clientSingleRenewalUs: number
  /** Memory at the server: a held lock, a waiter, and a client's two connections with its name, in bytes. */
  readonly redisHoldBytes: number
  readonly redisWaiterBytes: number
  readonly redisClientBytes: number
}

/** What a command costs before the first of its locks, and what each lock adds: through 1 lock and 500. */
export function affine(single: number, shared: number): { readonly command: number; readonly lock: number } {
  const lock = (500 * shared - single) / 499
  return { command: Math.max(0, single - lock), lock }
}
