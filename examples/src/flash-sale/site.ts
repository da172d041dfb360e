import type { Holdfast } from '@holdfast/core'

/** Where the locks are. */
export const saleEngines = ['redis', 'postgres', 'zookeeper', 'etcd', 'memcached', 'mysql'] as const
export type SaleEngine = (typeof saleEngines)[number]

export const isSaleEngine = (text: unknown): text is SaleEngine =>
  saleEngines.some((engine) => engine === text)

/** Where a sale takes place: on which server, under which name that is unique to the run. */
export interface SiteAddress {
  readonly engine: SaleEngine
  /** Of the server with the stock and the orders. */
  readonly url: string
  /** The prefix of all keys or tables, or the schema of all tables. */
  readonly namespace: string
  /** Where the locks are, if that is another server. */
  readonly locksAt: string
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

/** Loads what that engine needs, and nothing of the others. */
export async function openSite(address: SiteAddress): Promise<Site> {
  switch (address.engine) {
    case 'redis':
      return (await import('./redis-site.js')).openRedisSite(address)
    case 'postgres':
      return (await import('./postgres-site.js')).openPostgresSite(address)
    case 'zookeeper':
      return (await import('./zookeeper-site.js')).openZooKeeperSite(address)
    case 'etcd':
      return (await import('./etcd-site.js')).openEtcdSite(address)
    case 'memcached':
      return (await import('./memcached-site.js')).openMemcachedSite(address)
    case 'mysql':
      return (await import('./mysql-site.js')).openMysqlSite(address)
  }
}
