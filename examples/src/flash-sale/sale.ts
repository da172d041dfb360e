import type { Site } from './site.js'

/** The result of a sale, from the orders. */
export interface Books {
  readonly sold: number
  readonly oversold: number
  readonly usersWithSeveral: number
}

export async function readBooks(site: Site, saleId: string, vouchers: number): Promise<Books> {
  const counts = await site.voucherCounts(saleId)
  const sold = counts.reduce((sum, count) => sum + count, 0)
  return {
    sold,
    oversold: Math.max(0, sold - vouchers),
    usersWithSeveral: counts.filter((count) => count > 1).length,
  }
}
