/** A name of a table or a database, for use in SQL. */
export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/**
 * The server's clock in microseconds. It does not depend on time zones, and stays the same within a statement. Of the wall: it goes back
 * when the server's clock is set back.
 */
const nowUs = "timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))"

/** For how long a row that is over stays there: a statement that was on its way may still come, and must find its version gone. */
const graceUs = 15 * 60 * 1_000_000

/** The most rows that one sweep deletes. */
export const rowsPerSweep = 250

/**
 * The statements on the table of documents. Each is a transaction of its own, so the isolation level makes no difference, and what
 * it changes is replicated as it is.
 *
 * | Column     | what it has                                                                              |
 * | ---------- | ---------------------------------------------------------------------------------------- |
 * | `id`       | a letter for what the row is, then the key in UTF-8: `d` a document, `f` a fence, `s` the store itself |
 * | `version`  | random bytes, drawn for each write: none comes back, whatever is deleted and created again. Of the store: which data these are |
 * | `at_us`    | the clock at the last write: time does not go back behind it. Of the store: since when there are data |
 * | `until_us` | when nobody needs the row any more                                                       |
 * | `text`     | the document; empty after it was deleted                                                 |
 */
export const sqlOf = (table: string) =>
  ({
    create: `create table if not exists ${table} (
  id varbinary(1100) not null primary key,
  version varbinary(16) not null,
  at_us bigint not null,
  until_us bigint not null,
  text mediumblob not null,
  key until_us (until_us)
) engine=InnoDB row_format=dynamic`,
    // The version of a new store is drawn by whoever comes first.
    addStore: `insert into ${table} (id, version, at_us, until_us, text)
select 's', unhex(replace(uuid(), '-', '')), ${nowUs}, 9000000000000000000, '1' from (select 1) as one
where not exists (select 1 from ${table} as store where store.id = 's')`,
    store: `select hex(version), text from ${table} where id = 's'`,
    read: `select d.text, d.version, greatest(${nowUs}, coalesce(d.at_us, 0)), s.version
from ${table} as s left join ${table} as d on d.id = ? where s.id = 's'`,
    insert: `insert into ${table} (id, version, at_us, until_us, text) values (?, ?, ${nowUs}, ${nowUs} + ?, ?)`,
    update: `update ${table} set version = ?, at_us = greatest(at_us, ${nowUs}), until_us = ${nowUs} + ?, text = ?
where id = ? and version = ?`,
    age: `select (${nowUs} - at_us) / 1000 from ${table} where id = 's'`,
    // How many there are is an estimate of the server, in no time.
    list: `select id, text, ${nowUs}, (select table_rows from information_schema.tables where table_schema = ? and table_name = ?)
from ${table} where id >= ? and id < ? and until_us > ${nowUs} and length(text) > 0 order by id limit ?`,
    // What an open transaction has locked, such as its fence, is passed over: deleting it would wait.
    over: `select id from ${table} where until_us < ${nowUs} - ${graceUs} order by until_us limit ${rowsPerSweep}
for update skip locked`,
    /** @param count - how many rows; what was written to since then stays */
    sweep: (count: number) =>
      `delete from ${table} where id in (${Array.from({ length: count }, () => '?').join(', ')}) and until_us < ${nowUs} - ${graceUs}`,
  }) as const

export type Sql = ReturnType<typeof sqlOf>

/** For how long the row of a fence stays: much longer than a transaction should. */
const fenceUs = 24 * 3_600 * 1_000_000

/**
 * What a transaction of the application runs. All values are hexadecimal digits: its own driver may write them in any way.
 *
 * - `lock` locks the row of the fence until the transaction is over. Its second value says which data the locks are in, which no other
 *   server has: without those the version is null, and the statement fails.
 * - `seen` is what the transaction sees of the row, and `latest` what is there: they differ if it reads as of a time before
 *   the last transaction that had this fence was over.
 * - `mark` has later ones see a difference.
 */
export const fenceSqlOf = (table: string) =>
  ({
    lock: `insert into ${table} (id, version, at_us, until_us, text)
values (
  unhex(?),
  (select v from (select distinct version as v from ${table} where id = 's' and version = unhex(?)) as store),
  ${nowUs}, ${nowUs} + ${fenceUs}, 'fence'
) on duplicate key update until_us = until_us`,
    seen: `select hex(version) as version from ${table} where id = unhex(?)`,
    latest: `select hex(version) as version from ${table} where id = unhex(?) for update`,
    mark: `update ${table} set version = unhex(?), until_us = ${nowUs} + ${fenceUs} where id = unhex(?)`,
  }) as const
