import type { Redis } from 'ioredis'

/** How many vouchers are left. */
export const stockKey = (saleId: string): string => `sale:${saleId}:stock`
/** User → how many vouchers they got. */
export const ordersKey = (saleId: string): string => `sale:${saleId}:orders`

/** Stocks the vouchers. */
export async function openSale(redis: Redis, saleId: string, vouchers: number): Promise<void> {
  await redis.set(stockKey(saleId), vouchers)
}

/** The result of a sale, from the stock and the orders. */
export interface Books {
  readonly sold: number
  readonly oversold: number
  readonly usersWithSeveral: number
}

export async function readBooks(redis: Redis, saleId: string, vouchers: number): Promise<Books> {
  const counts = Object.values(await redis.hgetall(ordersKey(saleId))).map(Number)
  const sold = counts.reduce((sum, count) => sum + count, 0)
  return {
    sold,
    oversold: Math.max(0, sold - vouchers),
    usersWithSeveral: counts.filter((count) => count > 1).length,
  }
}
