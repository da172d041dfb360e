import type { Redis } from 'ioredis'

/** How many vouchers are left. */
const stockKey = (saleId: string): string => `sale:${saleId}:stock`
/** User → how many vouchers they got. */
const ordersKey = (saleId: string): string => `sale:${saleId}:orders`

/** The result of a sale, from the orders. */
export interface Books {
  readonly sold: number
  readonly oversold: number
  readonly usersWithSeveral: number
}

/** The stock and the orders, in Redis. */
export class Site {
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
  }

  async openSale(saleId: string, vouchers: number): Promise<void> {
    await this.#redis.set(stockKey(saleId), vouchers)
  }

  async vouchersLeft(saleId: string): Promise<number> {
    return Number(await this.#redis.get(stockKey(saleId)))
  }

  async hasVoucher(saleId: string, user: string): Promise<boolean> {
    return (await this.#redis.hexists(ordersKey(saleId), user)) === 1
  }

  async giveVoucher(saleId: string, user: string): Promise<void> {
    await this.#redis.multi().decr(stockKey(saleId)).hincrby(ordersKey(saleId), user, 1).exec()
  }

  async readBooks(saleId: string, vouchers: number): Promise<Books> {
    const counts = Object.values(await this.#redis.hgetall(ordersKey(saleId))).map(Number)
    const sold = counts.reduce((sum, count) => sum + count, 0)
    return {
      sold,
      oversold: Math.max(0, sold - vouchers),
      usersWithSeveral: counts.filter((count) => count > 1).length,
    }
  }
}
