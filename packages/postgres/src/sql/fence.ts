import { definer, readClock } from './blocks.js'

/** The SQLSTATE that `fence_1` raises when its lease is not the current one. */
export const leaseIsLost = 'HF001'

/**
 * `fence_1`: run by a transaction of the application, before it touches what the lock protects. It waits for another one for as
 * long as that takes.
 *
 * The lock's own row is only read: a transaction that locked it would keep the lock from being renewed and released. What
 * holds up a later holder is the row of the fence. It has the token of the last transaction, and is locked until the
 * transaction is over.
 */
export const fence = (s: string): string => `
create or replace function ${s}.fence_1(p_name text, p_owner text, p_token bigint) returns void
language plpgsql ${definer} as $function$
declare
  last_token bigint;
  now_us bigint;
begin
  insert into ${s}.fence as f (name, token) values (p_name, p_token)
  on conflict (name) do update set token = greatest(f.token, excluded.token) returning token into last_token;
  ${readClock}
  if last_token > p_token or not exists (
    select from ${s}.lock where name = p_name and owner = p_owner and token = p_token and until_us > now_us
  ) then
    raise exception 'the lock is not held with token %', p_token using errcode = '${leaseIsLost}';
  end if;
end
$function$;`
