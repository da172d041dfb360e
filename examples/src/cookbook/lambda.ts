import { Holdfast, type Lease } from '@holdfast/core'

/** One client per container, made outside the handler and kept between invocations. */
export const connect = (redis: string): Holdfast => new Holdfast({ redis, commandTimeoutMs: 1_000 })

interface Invocation {
  getRemainingTimeInMillis(): number
}

export const makeHandler =
  (holdfast: Holdfast, ship: (orderId: string, lease: Lease) => Promise<string>) =>
  async (event: { readonly orderId: string }, context: Invocation): Promise<string> => {
    // A frozen process renews nothing, so the watchdog is of no use: the lease lasts as long as the invocation may.
    const leaseMs = Math.max(100, Math.floor(context.getRemainingTimeInMillis()))
    const waitMs = Math.floor(leaseMs / 2)
    // `await`: the lock is released before the handler returns, since nothing runs afterwards.
    return await holdfast
      .getLock(`order:${event.orderId}`)
      .withLock({ waitMs, leaseMs }, (lease) => ship(event.orderId, lease))
  }
