import { attributes, readClock } from './blocks.js'

/** At most one sweep runs in a database, whatever the schema. */
const sweepKey = 0x68_6f_6c_64_66_73_77

/**
 * `sweep_1`: deletes rows that no step needs any more, up to p_limit of each table, and passes over any that a step works on
 * just now. Never waits.
 */
export const sweep = (s: string): string => `
create function ${s}.sweep_1(p_limit int) returns void language plpgsql ${attributes} as $function$
declare
  now_us bigint;
  names text[];
begin
  if not pg_try_advisory_xact_lock(${sweepKey}) then
    return;
  end if;
  ${readClock}
  delete from ${s}.tombstone where ctid = any (array(
    select ctid from ${s}.tombstone where until_us <= now_us limit p_limit for update skip locked));
  delete from ${s}.client where ctid = any (array(
    select ctid from ${s}.client where until_us <= now_us limit p_limit for update skip locked));
  names := array(
    select name from ${s}.lock
    where until_us <= now_us and fence_until_us <= now_us and (waiting = 0 or queue_until_us <= now_us)
    limit p_limit for update skip locked);
  delete from ${s}.place where name = any (names);
  delete from ${s}.lock where name = any (names);
  -- A row that a transaction has locked is passed over. What an older token may not do, the lock's row refuses.
  delete from ${s}.fence where ctid = any (array(
    select ctid from ${s}.fence where token < now_us - 86400000000 limit p_limit for update skip locked));
end
$function$;`
