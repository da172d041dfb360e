import { acquire } from './acquire.js'
import { fence } from './fence.js'
import { handOff } from './hand-off.js'
import { latchChanges } from './latch/changing.js'
import { latchTables } from './latch/tables.js'
import { latchWaiting } from './latch/waiting.js'
import { operator } from './operator.js'
import { quorum } from './quorum.js'
import { reading } from './reading.js'
import { release } from './release.js'
import { acquireShared } from './shared/acquire.js'
import { inspectShared } from './shared/inspect.js'
import { letInFunction } from './shared/let-in.js'
import { releaseShared } from './shared/release.js'
import { resize } from './shared/resize.js'
import { sharedTables } from './shared/tables.js'
import { sharedUpkeep } from './shared/upkeep.js'
import { sweep } from './sweep.js'
import { tables } from './tables.js'
import { upkeep } from './upkeep.js'

/** What crashes do to the tables: `unlogged` ones are empty afterwards. */
export type TableKind = 'unlogged' | 'logged'

export const quoted = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

/**
 * By their number, from 1. One that was released never changes: a later one adds functions under further names, since
 * clients of several versions use the schema at the same time.
 */
const migrations: readonly ((s: string, kind: TableKind) => string)[] = [
  (s, kind) => {
    const persistence = kind === 'unlogged' ? 'unlogged' : ''
    return [
      tables(s, persistence),
      handOff(s),
      acquire(s),
      release(s),
      upkeep(s),
      reading(s),
      quorum(s),
      sharedTables(s, persistence),
      letInFunction(s),
      acquireShared(s),
      releaseShared(s),
      resize(s),
      sharedUpkeep(s),
      inspectShared(s),
      latchTables(s, persistence),
      latchChanges(s),
      latchWaiting(s),
      sweep(s),
      fence(s),
      operator(s),
      // Functions may be executed by everybody unless that is revoked.
      `revoke all on all functions in schema ${s} from public;`,
    ].join('\n')
  },
]

/**
 * Creates the schema, or brings an existing one up to date. Safe to run at any time, any number of times.
 *
 * Those who do so at the same time go one after another: the first creates the schema, which the others wait for, and later each
 * locks the table of versions. An advisory lock would not do, since every role may take it, and keep it.
 *
 * @param limitMs - how long the server lets it take, whatever the role's own settings say; absent: they decide
 */
export function schemaSql(schema: string, kind: TableKind, limitMs?: number): string {
  const s = quoted(schema)
  const steps = migrations.map((migration, i) => {
    const version = i + 1
    return `  if not exists (select from ${s}.migration where version = ${version}) then
${migration(s, kind)}
    insert into ${s}.migration (version) values (${version});
  end if;`
  })
  return `begin;
${limitMs === undefined ? '' : limitsSql(limitMs)}do $migrate$
begin
  if to_regnamespace('${s}') is null then
    begin
      create schema ${s};
    exception when unique_violation or duplicate_schema then
      -- Another session has created it since.
    end;
  end if;
  begin
    create table if not exists ${s}.migration (version int primary key, applied_at timestamptz not null default now());
  exception when unique_violation or duplicate_table then
    -- As above.
  end;
  lock table ${s}.migration in share row exclusive mode;
${steps.join('\n')}
end
$migrate$;
commit;
`
}

/** Until the transaction is over. Behind a pooler other clients use the session afterwards. */
const limitsSql = (ms: number): string =>
  `select set_config(name, '${ms}', true) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout');
`

/** What a role needs that only takes locks. */
export function grantSql(schema: string, role: string): string {
  const s = quoted(schema)
  return `grant usage on schema ${s} to ${quoted(role)};
grant execute on all functions in schema ${s} to ${quoted(role)};
`
}
