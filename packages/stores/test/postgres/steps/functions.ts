import { migrationSql } from '../../../src/postgres/index.js'
import { readClock } from '../../../src/postgres/sql/blocks.js'

/** The schema of the model, as it is written in SQL. */
export const schema = '"model"'

/** The SQL of the schema in parts: `tables`, and each function by its name. */
export type SchemaParts = ReadonlyMap<string, string>

const installed = migrationSql({ schema: 'model' })

/** The schema as it is installed. */
export const realParts: SchemaParts = partsOf(installed)

/** The same, but for its clock and for where its notifications go. */
export const schemaParts: SchemaParts = partsOf(
  replacedIn(
    replacedIn(installed, readClock, `now_us := current_setting('model.now_us')::bigint;`),
    'pg_notify(',
    `${schema}.note(`,
  ),
)

function replacedIn(sql: string, from: string, to: string): string {
  if (!sql.includes(from)) throw new Error(`the schema does not contain: ${from}`)
  return sql.replaceAll(from, to)
}

function partsOf(sql: string): SchemaParts {
  return new Map(
    sql
      .split(/(?=create function )/)
      .map((part) => [/^create function \S+?\.(\w+)\(/.exec(part)?.[1] ?? 'tables', part]),
  )
}

/** The tables that have objects of a kind. */
export const tablesOf = {
  lock: ['lock', 'place', 'tombstone'],
  shared: ['shared', 'shared_hold', 'shared_place', 'tombstone'],
} as const

export type ObjectKind = keyof typeof tablesOf

/** Where the clock stands that the functions read, microseconds. */
export const clockSql = `current_setting('model.now_us')::bigint`

/** Empties the tables of a kind, fills them with the rows in its argument, and sets the clock. */
const restoreSql = (kind: ObjectKind): string => `
create function ${schema}.restore_${kind}(tables jsonb, now_us bigint) returns void language plpgsql as $function$
begin
  delete from ${schema}.sent;
  perform set_config('model.now_us', now_us::text, false);
  ${tablesOf[kind]
    .map(
      (table) => `delete from ${schema}.${table};
  insert into ${schema}.${table}
    select * from jsonb_populate_recordset(null::${schema}.${table}, tables -> '${table}');`,
    )
    .join('\n  ')}
end
$function$;`

/** All rows of a kind, and the clock. */
export const readSql = (kind: ObjectKind): string =>
  `select jsonb_build_object('now_us', ${clockSql}, ${tablesOf[kind]
    .map((table) => `'${table}', coalesce((select jsonb_agg(to_jsonb(t)) from ${schema}.${table} t), '[]')`)
    .join(', ')})`

/**
 * Creates the schema, and what keeps its notifications until they are taken. The clock goes on when they are: two steps of
 * one microsecond are possible here and not on a real clock.
 */
export const installSql = (parts: SchemaParts): string => `
drop schema if exists ${schema} cascade;
${[...parts.values()].join('')}
create unlogged table ${schema}.sent (nth int generated always as identity, channel text, payload text);
create function ${schema}.note(channel text, payload text) returns void language sql as $function$
  insert into ${schema}.sent (channel, payload) values (channel, payload);
$function$;
create function ${schema}.take() returns text language plpgsql as $function$
declare
  taken text;
begin
  with gone as (delete from ${schema}.sent returning *)
  select coalesce(json_agg(json_build_array(channel, payload) order by nth), '[]') into taken from gone;
  perform set_config('model.now_us', (${clockSql} + 1000)::text, false);
  return taken;
end
$function$;
${restoreSql('lock')}
${restoreSql('shared')}`
