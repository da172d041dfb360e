import type { Holdfast } from '@holdfast/core'

/** Where a sale takes place: on which server, under which name that is unique to the run. */
export interface SiteAddress {
  readonly engine: 'redis' | 'postgres'
  readonly url: string
  /** The prefix of all keys, or the schema of all tables. */
  readonly namespace: string
}

/** A sale's stock and orders, and the client for its locks. Each process opens its own. */
export interface Site {
  openHoldfast(label: string): Holdfast
  /** Stocks the vouchers. */
  openSale(saleId: string, vouchers: number): Promise<void>
  vouchersLeft(saleId: string): Promise<number>
  hasVoucher(saleId: string, user: string): Promise<boolean>
  /** Takes one voucher from the stock, and notes it for the user. */
  giveVoucher(saleId: string, user: string): Promise<void>
  /** How many vouchers each of the users got who got any. */
  voucherCounts(saleId: string): Promise<number[]>
  close(): Promise<void>
}

/** Loads what that engine needs, and nothing of the other one. */
export async function openSite(address: SiteAddress): Promise<Site> {
  if (address.engine === 'postgres') return (await import('./postgres-site.js')).openPostgresSite(address)
  return (await import('./redis-site.js')).openRedisSite(address)
}
