import { Holdfast } from '@holdfast/core'
import { Redis } from 'ioredis'
import type { Site, SiteAddress } from './site.js'

/** How many vouchers are left. */
const stockKey = (saleId: string): string => `sale:${saleId}:stock`
/** User → how many vouchers they got. */
const ordersKey = (saleId: string): string => `sale:${saleId}:orders`

/** Opens a site on Redis. Holdfast adopts the prefix of the keys from the client. */
export async function openRedisSite({ url, namespace }: SiteAddress): Promise<Site> {
  const redis = new Redis(url, { keyPrefix: namespace })
  // A failure also rejects the affected command.
  redis.on('error', () => undefined)
  await redis.ping()
  return {
    openHoldfast: (label) => new Holdfast({ redis, label }),
    async openSale(saleId, vouchers) {
      await redis.set(stockKey(saleId), vouchers)
    },
    vouchersLeft: async (saleId) => Number(await redis.get(stockKey(saleId))),
    hasVoucher: async (saleId, user) => (await redis.hexists(ordersKey(saleId), user)) === 1,
    async giveVoucher(saleId, user) {
      await redis.multi().decr(stockKey(saleId)).hincrby(ordersKey(saleId), user, 1).exec()
    },
    voucherCounts: async (saleId) => Object.values(await redis.hgetall(ordersKey(saleId))).map(Number),
    close() {
      redis.disconnect()
      return Promise.resolve()
    },
  }
}
