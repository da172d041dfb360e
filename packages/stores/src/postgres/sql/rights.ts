import { quoted } from './quoted.js'

/** What clients call. `pass_on` and `let_in` are for functions alone: they take rows as they are given. */
const entryPoints = [
  'acquire',
  'acquire_shared',
  'clients',
  'fence',
  'find',
  'force',
  'force_shared',
  'hello',
  'inspect',
  'inspect_shared',
  'latch_count_down',
  'latch_delete',
  'latch_inspect',
  'latch_set',
  'latch_wait',
  'list',
  'listening',
  'raise_token',
  'refresh',
  'refresh_shared',
  'register',
  'release',
  'release_shared',
  'renew',
  'renew_shared',
  'resize',
  'size',
  'sweep',
  'take_over',
  'tell',
  'uptime',
] as const

/** Functions may be executed by everybody otherwise. */
export const revokeAll = (s: string): string => `
revoke all on all functions in schema ${s} from public;`

/** What a role needs that only takes locks. */
export const grantRole = (s: string, role: string): string => `grant usage on schema ${s} to ${quoted(role)};
revoke all on all functions in schema ${s} from ${quoted(role)};
grant execute on function ${entryPoints.map((name) => `${s}.${name}`).join(', ')} to ${quoted(role)};
`
