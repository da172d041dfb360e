import type { Finding } from '@holdfast/core/engine'
import { isOn, judgeVersion, readOnlySettings, type ServerSettings } from '../database-check.js'
import type { MysqlSettings } from '../options.js'
import { maxBytes } from '../session.js'

/** Deadlines are the server's; only people compare its clock with others. */
const farOffMs = 2_000
/** Sweeps delete hundreds a minute, and many thousands while there are more. */
const manyRows = 1_000_000

export function onVersion(version: string): Finding {
  const check = 'version'
  if (!judgeVersion(version).isOld) return { check, status: 'ok', text: version }
  return { check, status: 'failed', text: `${version}: Holdfast needs MySQL 8.0 or MariaDB 10.6 or later` }
}

export function onReadOnly(found: ServerSettings): Finding {
  const check = 'writable'
  const on = readOnlySettings.filter((name) => isOn(found, name))
  if (on.length === 0) return { check, status: 'ok', text: 'the server takes writes' }
  return {
    check,
    status: 'failed',
    text: `${on.join(', ')}: locks need to be written; name the primary`,
  }
}

/** What is known of the table of the locks. */
export interface TableFacts {
  readonly engine: string
  /** Rights on it that the user has not. */
  readonly missing: readonly string[]
}

export function onTable(facts: TableFacts | null, { database, table, migrate }: MysqlSettings): Finding {
  const check = 'table'
  const name = `${database}.${table}`
  if (!facts) {
    const text = `${name} does not exist yet: the first client creates it, if its user may`
    return migrate === 'check'
      ? { check, status: 'failed', text: `${name} does not exist: run the SQL of migrationSql()` }
      : { check, status: 'unknown', text }
  }
  const { engine, missing } = facts
  if (engine.toLowerCase() !== 'innodb') {
    const text = `${name} is kept by ${engine}: run alter table ${name} engine=InnoDB, since others lose it in a crash or lock all of it`
    return { check, status: 'failed', text }
  }
  if (missing.length > 0) {
    return { check, status: 'failed', text: `the user lacks ${missing.join(', ')} on ${name}` }
  }
  return { check, status: 'ok', text: `${name}, InnoDB, and the user may use it` }
}

export function onRows(count: number): Finding {
  const check = 'rows'
  const text = count < manyRows ? `${count}` : `${manyRows} or more`
  return count < manyRows
    ? { check, status: 'ok', text }
    : {
        check,
        status: 'warning',
        text: `${text}: are there clients that run for longer than a minute, which delete old ones?`,
      }
}

export function onDurability(found: ServerSettings): Finding {
  const check = 'durability'
  const value = found.get('innodb_flush_log_at_trx_commit') ?? ''
  const text = `innodb_flush_log_at_trx_commit is ${value}`
  if (value === '1') return { check, status: 'ok', text: `${text}: a step is on disk when it has its reply` }
  const lost = value === '2' ? 'of the machine loses' : 'of the server loses'
  return {
    check,
    status: 'warning',
    text: `${text}: a crash ${lost} the last second, and a lock that was taken in it has two holders until the first one looks; set it to 1`,
  }
}

export function onReplication(found: ServerSettings): Finding {
  const check = 'replication'
  if (isOn(found, 'wsrep_on')) {
    const text =
      'Galera: steps are certified by all nodes, and reads wait for what others committed; point all clients at one node to spare them the conflicts'
    return { check, status: 'ok', text }
  }
  if ((found.get('group_replication_group_name') ?? '') !== '') {
    const text =
      'group replication: point all clients at the primary; a failover keeps what the group had certified, if group_replication_consistency is BEFORE_ON_PRIMARY_FAILOVER'
    return { check, status: 'warning', text }
  }
  const text = 'none that Holdfast knows of: replicas that lag lose the newest holds in a failover'
  return { check, status: 'ok', text }
}

export function onClock(offsetMs: number): Finding {
  const check = 'clock'
  const text = `${Math.round(Math.abs(offsetMs))} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} this machine's; leases follow the server's alone, and its time zone makes no difference`
  return Math.abs(offsetMs) < farOffMs
    ? { check, status: 'ok', text }
    : {
        check,
        status: 'warning',
        text: `${text}: have both follow NTP, which turns clocks slowly; a jump ends leases early or late`,
      }
}

export function onPacket(bytes: number): Finding {
  const check = 'packet size'
  const text = `max_allowed_packet is ${bytes}`
  if (bytes > 2 * maxBytes) return { check, status: 'ok', text }
  return {
    check,
    status: 'warning',
    text: `${text}: a lock with thousands of waiters may not fit; 16777216 is enough for any`,
  }
}
