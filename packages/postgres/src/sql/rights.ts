import { quoted } from './quoted.js'

/** Functions that only other functions call. They take rows as they are given. */
const inner = ['pass_on_1', 'let_in_1'] as const

/** What clients call, also those of earlier versions. */
const entryPoints = [
  'acquire_1',
  'acquire_2',
  'acquire_shared_1',
  'acquire_shared_2',
  'clients_1',
  'fence_1',
  'find_1',
  'force_1',
  'force_shared_1',
  'hello_1',
  'hello_2',
  'inspect_1',
  'inspect_shared_1',
  'latch_count_down_1',
  'latch_delete_1',
  'latch_inspect_1',
  'latch_set_1',
  'latch_wait_1',
  'list_1',
  'listening_1',
  'raise_token_1',
  'refresh_1',
  'refresh_2',
  'refresh_shared_1',
  'refresh_shared_2',
  'register_1',
  'release_1',
  'release_shared_1',
  'renew_1',
  'renew_2',
  'renew_shared_1',
  'renew_shared_2',
  'resize_1',
  'size_1',
  'sweep_1',
  'sweep_2',
  'tell_1',
  'uptime_1',
] as const

const named = (s: string, functions: readonly string[]): string =>
  functions.map((name) => `${s}.${name}`).join(', ')

/** Takes what version 0.1.0 granted on inner functions from all roles but the owner. Functions may be executed by everybody otherwise. */
export const revokeInner = (s: string): string => `
revoke all on all functions in schema ${s} from public;
declare
  grantee name;
begin
  for grantee in
    select distinct r.rolname from pg_proc p
    cross join aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
    where p.pronamespace = to_regnamespace('${s}') and p.proname in (${inner.map((name) => `'${name}'`).join(', ')})
      and a.grantee <> p.proowner
  loop
    execute format('revoke all on function ${named(s, inner)} from %I', grantee);
  end loop;
end;`

/** What a role needs that only takes locks. */
export const grantRole = (s: string, role: string): string => `grant usage on schema ${s} to ${quoted(role)};
revoke all on all functions in schema ${s} from ${quoted(role)};
grant execute on function ${named(s, entryPoints)} to ${quoted(role)};
`
