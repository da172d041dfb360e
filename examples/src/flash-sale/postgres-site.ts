import { Holdfast } from '@holdfast/core'
import { postgres } from '@holdfast/postgres'
import { Pool } from 'pg'
import type { Site, SiteAddress } from './site.js'

/** Few enough for four shops beside everything else on a server with its default settings. */
const connections = 10

/** Opens a site in PostgreSQL: stock and orders in one schema, the locks in another, in the same database. */
export async function openPostgresSite({ url, namespace }: SiteAddress): Promise<Site> {
  const pool = new Pool({ connectionString: url, max: connections })
  // A failure of an idle connection also rejects the next statement that needs one.
  pool.on('error', () => undefined)
  await pool.query('select 1')
  return {
    openHoldfast: (label) => new Holdfast({ engine: postgres({ url, schema: `${namespace}_locks` }), label }),
    async openSale(saleId, vouchers) {
      await pool.query(`create schema if not exists ${namespace};
        create table if not exists ${namespace}.stock (sale text primary key, vouchers int not null);
        create table if not exists ${namespace}.orders (
          sale text, buyer text, vouchers int not null, primary key (sale, buyer))`)
      await pool.query(`insert into ${namespace}.stock values ($1, $2)`, [saleId, vouchers])
    },
    async vouchersLeft(saleId) {
      const { rows } = await pool.query<{ vouchers: number }>(
        `select vouchers from ${namespace}.stock where sale = $1`,
        [saleId],
      )
      return rows[0]?.vouchers ?? 0
    },
    async hasVoucher(saleId, user) {
      const { rowCount } = await pool.query(
        `select from ${namespace}.orders where sale = $1 and buyer = $2`,
        [saleId, user],
      )
      return rowCount === 1
    },
    async giveVoucher(saleId, user) {
      await pool.query(
        `with taken as (update ${namespace}.stock set vouchers = vouchers - 1 where sale = $1)
         insert into ${namespace}.orders as o values ($1, $2, 1)
         on conflict (sale, buyer) do update set vouchers = o.vouchers + 1`,
        [saleId, user],
      )
    },
    async voucherCounts(saleId) {
      const { rows } = await pool.query<{ vouchers: number }>(
        `select vouchers from ${namespace}.orders where sale = $1`,
        [saleId],
      )
      return rows.map(({ vouchers }) => vouchers)
    },
    close: () => pool.end(),
  }
}

/** Removes what a run has left, on a new connection. */
export async function removeSchemas(url: string, namespace: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  try {
    await pool.query(`drop schema if exists ${namespace}, ${namespace}_locks cascade`)
  } finally {
    await pool.end()
  }
}
