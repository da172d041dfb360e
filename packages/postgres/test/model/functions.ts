import { migrationSql } from '../../src/index.js'
import { readClock } from '../../src/sql/blocks.js'

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

/** What a later migration replaces is there under another name, so that a mistake is made in what runs in the end. */
function partsOf(sql: string): SchemaParts {
  const parts = sql.split(/(?=create (?:or replace )?function )/)
  return new Map(
    parts.map((part) => {
      const [, replaces, name = 'tables'] = /^create (or replace )?function \S+?\.(\w+)\(/.exec(part) ?? []
      return [replaces === undefined && name !== 'tables' ? `${name} at first` : name, part]
    }),
  )
}

/** Creates the schema, and what keeps its notifications. */
export const installSql = (parts: SchemaParts): string => `
drop schema if exists ${schema} cascade;
${[...parts.values()].join('')}
create unlogged table ${schema}.sent (nth int generated always as identity, channel text, payload text);
create function ${schema}.note(channel text, payload text) returns void language sql as $function$
  insert into ${schema}.sent (channel, payload) values (channel, payload);
$function$;`
