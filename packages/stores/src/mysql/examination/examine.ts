import type { Examination, Finding } from '@holdfast/core/engine'
import { openMysql, type Query } from '../connection/mysql-connection.js'
import { readOnlySettings, readSettings, type ServerSettings } from '../database-check.js'
import { noReply } from '../connection/statement.js'
import { errorNumbers, numberOf, toError, toMysqlError } from '../errors.js'
import type { MysqlSettings } from '../options.js'
import { nowUs, quoted, sqlOf } from '../sql.js'
import {
  onClock,
  onDurability,
  onPacket,
  onReadOnly,
  onReplication,
  onRows,
  onTable,
  onVersion,
  type TableFacts,
} from './findings.js'

const looked = [
  ...readOnlySettings,
  'version',
  'innodb_flush_log_at_trx_commit',
  'max_allowed_packet',
  'wsrep_on',
  'group_replication_group_name',
]

/** Looks at a server for those who run it: see `LockEngine.examine`. */
export async function examine(
  settings: MysqlSettings,
  { timeoutMs }: Examination,
): Promise<readonly Finding[]> {
  const connection = openMysql(settings.config, timeoutMs)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(noReply(settings.name, timeoutMs)), timeoutMs)
  })
  late.catch(() => undefined)
  const query: Query = (sql, values) => Promise.race([connection.query(sql, values), late])
  try {
    await Promise.race([connection.connect(), late])
    const found = await readSettings(query, looked)
    return [
      onVersion(found.get('version') ?? ''),
      onReadOnly(found),
      ...(await lookAt('table', async () => onTable(await tableFacts(query, settings), settings))),
      ...(await lookAt('rows', async () => onRows(await rowCount(query, settings)))),
      onDurability(found),
      onReplication(found),
      ...(await lookAt('clock', async () => onClock(await offsetMs(query)))),
      onPacket(packetOf(found)),
    ]
  } catch (error) {
    throw toMysqlError(error, settings.name)
  } finally {
    clearTimeout(timer)
    await connection.destroy()
  }
}

/** What cannot be looked at stays unknown, and the other checks go on. */
async function lookAt(check: string, look: () => Promise<Finding>): Promise<Finding[]> {
  try {
    return [await look()]
  } catch (error) {
    return [{ check, status: 'unknown', text: toError(error).message }]
  }
}

async function tableFacts(query: Query, { database, table }: MysqlSettings): Promise<TableFacts | null> {
  const { rows } = await query(
    'select engine from information_schema.tables where table_schema = ? and table_name = ?',
    [Buffer.from(database), Buffer.from(table)],
  )
  const [row] = rows
  if (!row) return null
  const sql = sqlOf(`${quoted(database)}.${quoted(table)}`)
  const missing: string[] = []
  // None of them finds a row that it could change.
  const tries: readonly (readonly [string, string])[] = [
    ['SELECT', sql.store],
    ['UPDATE', `update ${quoted(database)}.${quoted(table)} set at_us = at_us where id = ''`],
    [
      'INSERT',
      `insert into ${quoted(database)}.${quoted(table)} select * from ${quoted(database)}.${quoted(table)} where id = ''`,
    ],
    ['DELETE', `delete from ${quoted(database)}.${quoted(table)} where id = ''`],
  ]
  for (const [right, statement] of tries) {
    try {
      await query(statement)
    } catch (error) {
      if (
        numberOf(error) !== errorNumbers.noRightsOnTable &&
        numberOf(error) !== errorNumbers.noRightsOnColumn
      )
        throw error
      missing.push(right)
    }
  }
  return { engine: String(row[0]), missing }
}

async function rowCount(query: Query, { database, table }: MysqlSettings): Promise<number> {
  const { rows } = await query(
    `select count(*) from (select 1 from ${quoted(database)}.${quoted(table)} limit 1000000) as counted`,
  )
  return Number(rows[0]?.[0])
}

/** By how much the server's clock is ahead of ours, as far as the time that the question took leaves open. */
async function offsetMs(query: Query): Promise<number> {
  const before = Date.now()
  const { rows } = await query(`select ${nowUs} / 1000`)
  return Number(rows[0]?.[0]) - (before + Date.now()) / 2
}

const packetOf = (found: ServerSettings): number => Number(found.get('max_allowed_packet'))
