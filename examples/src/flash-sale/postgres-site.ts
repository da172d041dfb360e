import { Holdfast } from '@holdfast/core'
import { postgres, type PostgresOptions } from '@holdfast/postgres'
import type { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import type { Site, SiteAddress } from './site.js'

/** Few enough for four shops beside everything else on a server with its default settings. */
const connections = 10

type Row = Readonly<Record<string, unknown>>

/** What a site needs of a database. */
interface Database {
  /** How Holdfast gets there. */
  readonly options: PostgresOptions
  readonly query: (text: string, values: unknown[]) => Promise<{ readonly rows: readonly Row[] }>
  readonly close: () => Promise<void>
}

/** Opens a site in PostgreSQL: stock and orders in one schema, the locks in another, in the same database. */
export async function openPostgresSite({ url, namespace }: SiteAddress): Promise<Site> {
  const pool = new Pool({ connectionString: url, max: connections })
  // A failure of an idle connection also rejects the next statement that needs one.
  pool.on('error', () => undefined)
  await pool.query('select 1')
  const query: Database['query'] = (text, values) => pool.query<Row>(text, values)
  return siteIn({ options: { url }, query, close: () => pool.end() }, namespace)
}

/** The same in PGlite, in this process. */
export const openPGliteSite = (pglite: PGlite, namespace: string): Site =>
  siteIn(
    { options: { pglite }, query: (text, values) => pglite.query(text, values), close: () => pglite.close() },
    namespace,
  )

function siteIn({ options, query, close }: Database, namespace: string): Site {
  return {
    openHoldfast: (label) =>
      new Holdfast({ engine: postgres({ ...options, schema: `${namespace}_locks` }), label }),
    async openSale(saleId, vouchers) {
      for (const statement of [
        `create schema if not exists ${namespace}`,
        `create table if not exists ${namespace}.stock (sale text primary key, vouchers int not null)`,
        `create table if not exists ${namespace}.orders (
          sale text, buyer text, vouchers int not null, primary key (sale, buyer))`,
      ])
        await query(statement, [])
      await query(`insert into ${namespace}.stock values ($1, $2)`, [saleId, vouchers])
    },
    async vouchersLeft(saleId) {
      const { rows } = await query(`select vouchers from ${namespace}.stock where sale = $1`, [saleId])
      return Number(rows[0]?.['vouchers'] ?? 0)
    },
    async hasVoucher(saleId, user) {
      const { rows } = await query(`select from ${namespace}.orders where sale = $1 and buyer = $2`, [
        saleId,
        user,
      ])
      return rows.length === 1
    },
    async giveVoucher(saleId, user) {
      await query(
        `with taken as (update ${namespace}.stock set vouchers = vouchers - 1 where sale = $1)
         insert into ${namespace}.orders as o values ($1, $2, 1)
         on conflict (sale, buyer) do update set vouchers = o.vouchers + 1`,
        [saleId, user],
      )
    },
    async voucherCounts(saleId) {
      const { rows } = await query(`select vouchers from ${namespace}.orders where sale = $1`, [saleId])
      return rows.map(({ vouchers }) => Number(vouchers))
    },
    close,
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
