import { acquire, takeOver } from './acquire.js'
import { fence } from './fence.js'
import { handOff } from './hand-off.js'
import { latchChanges } from './latch/changing.js'
import { latchWaiting } from './latch/waiting.js'
import { operator } from './operator.js'
import { checkOwner } from './ownership.js'
import { quorum } from './quorum.js'
import { quoted } from './quoted.js'
import { reading } from './reading.js'
import { release } from './release.js'
import { grantRole, revokeAll } from './rights.js'
import { acquireShared } from './shared/acquire.js'
import { inspectShared } from './shared/inspect.js'
import { letInFunction } from './shared/let-in.js'
import { releaseShared } from './shared/release.js'
import { resize } from './shared/resize.js'
import { sharedUpkeep } from './shared/upkeep.js'
import { sweep } from './sweep.js'
import { tables, type TableKind } from './tables.js'
import { upkeep } from './upkeep.js'

/**
 * By their number, from 1. From the first release on, one that was released never changes. A later one may replace a function
 * as long as clients of earlier versions can go on with it, since clients of several versions use the schema at the same time;
 * what they could not is added under a further name.
 */
const migrations: readonly ((s: string, kind: TableKind) => string)[] = [
  (s, kind) =>
    [
      tables(s, kind),
      handOff(s),
      acquire(s),
      takeOver(s),
      release(s),
      upkeep(s),
      reading(s),
      quorum(s),
      letInFunction(s),
      acquireShared(s),
      releaseShared(s),
      resize(s),
      sharedUpkeep(s),
      inspectShared(s),
      latchChanges(s),
      latchWaiting(s),
      sweep(s),
      fence(s),
      operator(s),
      revokeAll(s),
    ].join('\n'),
]

/** What the SQL that migrates is to do besides. */
interface SchemaSqlOptions {
  /** The role as which it is done, and whose the schema is; `undefined`: the role that runs it. */
  readonly owner?: string | undefined
  /** A role that only takes locks, and is granted what this needs. */
  readonly role?: string | undefined
  /** How long the server lets it take, whatever the role's own settings say; `undefined`: they decide. */
  readonly limitMs?: number
}

/**
 * Creates the schema, or brings an existing one up to date. Safe to run at any time, any number of times.
 *
 * Those who do so at the same time go one after another: the first creates the schema, which the others wait for, and later each
 * locks the table of versions. An advisory lock would not do, since every role may take it, and keep it.
 */
export function schemaSql(
  schema: string,
  kind: TableKind,
  { owner, role, limitMs }: SchemaSqlOptions = {},
): string {
  const s = quoted(schema)
  const steps = migrations.map((migration, i) => {
    const version = i + 1
    return `  if not exists (select from ${s}.migration where version = ${version}) then
${migration(s, kind)}
    insert into ${s}.migration (version) values (${version});
  end if;`
  })
  return `begin;
${owner === undefined ? '' : `set local role ${quoted(owner)};\n`}set local search_path = pg_catalog, pg_temp;
${limitMs === undefined ? '' : limitsSql(limitMs)}do $migrate$
begin
  if to_regnamespace('${s}') is null then
    begin
      create schema ${s};
    exception when unique_violation or duplicate_schema then
      -- Another session has created it since.
    end;
  end if;
${checkOwner(schema)}
  begin
    create table if not exists ${s}.migration (version int primary key, applied_at timestamptz not null default now());
  exception when unique_violation or duplicate_table then
    -- As above.
  end;
  lock table ${s}.migration in share row exclusive mode;
${steps.join('\n')}
end
$migrate$;
${role === undefined ? '' : grantRole(s, role)}commit;
`
}

/** Until the transaction is over. Behind a pooler other clients use the session afterwards. */
const limitsSql = (ms: number): string =>
  `select set_config(name, '${ms}', true) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout');
`
