import type { Lock } from '@holdfast/core'
import type { Site } from './site.js'

/** A payment provider that answers quickly. */
export const payMs = 5

/**
 * The naive way: check that there is stock and that the user has no voucher yet, take the payment, write.
 *
 * Between the check and the write, other requests check the same stock and the same orders.
 */
export async function buy(site: Site, saleId: string, user: string, pay: () => Promise<void>): Promise<void> {
  if ((await site.vouchersLeft(saleId)) <= 0) return
  if (await site.hasVoucher(saleId, user)) return
  await pay()
  await site.giveVoucher(saleId, user)
}

/**
 * The same code, one request at a time.
 *
 * One lock for the whole batch is enough. Every purchase changes the one stock, so purchases go one after another
 * whatever else is locked. Another lock per user would only separate requests that already exclude each other: one
 * more round trip, and two locks that all code must take in the same order.
 */
export const buyLocked = (lock: Lock, ...purchase: Parameters<typeof buy>): Promise<void> =>
  lock.withLock(() => buy(...purchase))
