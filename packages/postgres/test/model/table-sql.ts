import { schema } from './functions.js'

const listed = (tables: readonly string[], line: (table: string) => string): string =>
  tables.map(line).join(', ')

/** Writes rows as they are in JSON. */
export const restoreSql = (tables: readonly string[]): string => `with
  ${listed(
    tables,
    (table) => `in_${table} as (
      insert into ${schema}.${table}
      select (jsonb_populate_record(null::${schema}.${table}, each.value)).* from jsonb_array_elements($1::jsonb -> '${table}') each
    )`,
  )}
  select`

/** Reads all rows, those of the notifications included, and deletes them. */
export const readSql = (tables: readonly string[]): string => `with
  ${listed([...tables, 'sent'], (table) => `of_${table} as (delete from ${schema}.${table} returning *)`)}
  select jsonb_build_object(${listed(
    [...tables, 'sent'],
    (table) => `'${table}', coalesce((select jsonb_agg(to_jsonb(t)) from of_${table} t), '[]')`,
  )})`
