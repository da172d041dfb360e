/**
 * When a process must stop claiming a hold.
 *
 * A lease starts at the store when the command arrives there, which is never before it was sent. Counted from the sending,
 * and shortened by the drift, the local deadline comes before the store's expiry.
 */

/**
 * How far two clocks may run apart during a lease, 1 %, plus what the store itself may cut off.
 *
 * @param marginMs - the engine's `traits.lease.marginMs`
 */
export const driftMs = (leaseMs: number, marginMs: number): number => leaseMs * 0.01 + marginMs

/** The deadline of a hold that was confirmed by the reply to a command sent at `sentAt`. */
export const deadlineOfReply = (sentAt: number, leaseMs: number, marginMs: number): number =>
  sentAt + leaseMs - driftMs(leaseMs, marginMs)
