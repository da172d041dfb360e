import { Holdfast } from '@holdfast/core'
import { mysql } from '@holdfast/mysql'
import { createPool, type Pool, type RowDataPacket } from 'mysql2/promise'
import type { Site, SiteAddress } from './site.js'

/** Few enough for four shops beside everything else on a server with its default settings. */
const connectionLimit = 10

/** A sale in MySQL or MariaDB: stock, orders and locks are tables of one database. */
export async function openMysqlSite({ url, namespace }: SiteAddress): Promise<Site> {
  const pool = createPool({ uri: url, connectionLimit })
  await pool.query('select 1')
  const engine = mysql({ url, table: `${namespace}_locks` })
  const rowsOf = async (text: string, values: string[]): Promise<readonly RowDataPacket[]> => {
    const [rows] = await pool.query<RowDataPacket[]>(text, values)
    return rows
  }
  return {
    openHoldfast: (label) => new Holdfast({ engine, label }),
    async openSale(saleId, vouchers) {
      for (const statement of [
        `create table if not exists ${namespace}_stock (sale varchar(99) primary key, vouchers int not null)`,
        `create table if not exists ${namespace}_orders (
          sale varchar(99), buyer varchar(99), vouchers int not null, primary key (sale, buyer))`,
      ])
        await pool.query(statement)
      await pool.query(`insert into ${namespace}_stock values (?, ?)`, [saleId, vouchers])
    },
    async vouchersLeft(saleId) {
      const [row] = await rowsOf(`select vouchers from ${namespace}_stock where sale = ?`, [saleId])
      return Number(row?.['vouchers'] ?? 0)
    },
    async hasVoucher(saleId, user) {
      const found = `select 1 from ${namespace}_orders where sale = ? and buyer = ?`
      return (await rowsOf(found, [saleId, user])).length === 1
    },
    giveVoucher: (saleId, user) => give(pool, namespace, [saleId, user]),
    async voucherCounts(saleId) {
      const rows = await rowsOf(`select vouchers from ${namespace}_orders where sale = ?`, [saleId])
      return rows.map(({ vouchers }) => Number(vouchers))
    },
    close: () => pool.end(),
  }
}

async function give(pool: Pool, namespace: string, [saleId, user]: [string, string]): Promise<void> {
  const connection = await pool.getConnection()
  try {
    await connection.beginTransaction()
    await connection.query(`update ${namespace}_stock set vouchers = vouchers - 1 where sale = ?`, [saleId])
    await connection.query(
      `insert into ${namespace}_orders values (?, ?, 1) on duplicate key update vouchers = vouchers + 1`,
      [saleId, user],
    )
    await connection.commit()
  } catch (error) {
    await connection.rollback()
    throw error
  } finally {
    connection.release()
  }
}

/** Removes what a run has left, on a new connection. */
export async function removeTables(url: string, namespace: string): Promise<void> {
  const pool = createPool({ uri: url, connectionLimit: 1 })
  try {
    const tables = ['stock', 'orders', 'locks'].map((table) => `${namespace}_${table}`)
    await pool.query(`drop table if exists ${tables.join(', ')}`)
  } finally {
    await pool.end()
  }
}
