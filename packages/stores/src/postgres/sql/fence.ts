import { definer, readClock } from './blocks.js'

/** The SQLSTATE that `fence` raises when its lease is not the current one. */
export const leaseIsLost = 'HF001'

const isCurrent = (s: string): string => `exists (
    select from ${s}.lock where name = p_name and owner = p_owner and token = p_token and until_us > now_us
  )`

/**
 * `fence`: run by a transaction of the application, before it touches what the lock protects. It waits for another one for as
 * long as that takes, or until its lock is lost. It looks for that now and then: a statement that waited on would keep the application
 * from rolling back. It lets the server look for deadlocks in between, and a `lock_timeout` of the application decides instead of it.
 * From `repeatable read` on it would not see a renewal, and waits.
 *
 * The lock's own row is only read: a transaction that locked it would keep the lock from being renewed and released. What
 * holds up a later holder is the row of the fence. It has the token of the last transaction, and is locked until the
 * transaction is over.
 */
export const fence = (s: string): string => `
create function ${s}.fence(p_name text, p_owner text, p_token bigint) returns void
language plpgsql ${definer} as $function$
declare
  last_token bigint;
  now_us bigint;
  looks boolean := current_setting('lock_timeout') = '0' and current_setting('transaction_isolation') = 'read committed';
begin
  if looks then
    perform set_config('lock_timeout', (setting::int + 500)::text, true) from pg_settings where name = 'deadlock_timeout';
  end if;
  loop
    begin
      insert into ${s}.fence as f (name, token) values (p_name, p_token)
      on conflict (name) do update set token = greatest(f.token, excluded.token) returning token into last_token;
      exit;
    exception when lock_not_available then
      if not looks then
        raise;
      end if;
      ${readClock}
      exit when not ${isCurrent(s)};
    end;
  end loop;
  if looks then
    perform set_config('lock_timeout', '0', true);
  end if;
  ${readClock}
  if last_token > p_token or not ${isCurrent(s)} then
    raise exception 'the lock is not held with token %', p_token using errcode = '${leaseIsLost}';
  end if;
end
$function$;`
