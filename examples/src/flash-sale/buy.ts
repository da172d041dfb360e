import type { Lock } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'
import type { Site } from './site.js'

/** A payment provider that answers quickly. */
export const payMs = 5

/**
 * The naive way: check that there is stock and that the user has no voucher yet, take the payment, write.
 *
 * Between the check and the write, other requests check the same stock and the same orders.
 *
 * @returns whether the user got a voucher
 */
export async function buy(site: Site, saleId: string, user: string): Promise<boolean> {
  if ((await site.vouchersLeft(saleId)) <= 0) return false
  if (await site.hasVoucher(saleId, user)) return false
  await delay(payMs)
  await site.giveVoucher(saleId, user)
  return true
}

/**
 * The same code, one request at a time.
 *
 * One lock for the whole batch is enough. Every purchase changes the one stock, so purchases go one after another
 * whatever else is locked. Another lock per user would only separate requests that already exclude each other: one
 * more round trip, and two locks that all code must take in the same order.
 */
export function buyLocked(lock: Lock, site: Site, saleId: string, user: string): Promise<boolean> {
  return lock.withLock(() => buy(site, saleId, user))
}
