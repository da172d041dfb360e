import { attributes, readClock } from './blocks.js'

/** Whether nobody holds any permits of an object with this name. */
const isUnheld = (s: string, name: string): string =>
  `not exists (select from ${s}.shared_hold h where h.name = ${name} and h.until_us > now_us)`

/** The same of clients that wait for a latch. */
const isUnawaited = (s: string, name: string): string =>
  `not exists (select from ${s}.latch_waiter w where w.name = ${name} and w.until_us > now_us)`

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
  names := array(
    select name from ${s}.shared
    where fence_until_us <= now_us and size_until_us <= now_us and (waiting = 0 or queue_until_us <= now_us)
      and ${isUnheld(s, 'shared.name')}
    limit p_limit for update skip locked);
  -- A renewal locks the object's row and changes only the hold's: it may have done so before the row was locked here.
  names := array(select name from unnest(names) n (name) where ${isUnheld(s, 'n.name')});
  delete from ${s}.shared_place where name = any (names);
  delete from ${s}.shared_hold where name = any (names);
  delete from ${s}.shared where name = any (names);
  names := array(
    select name from ${s}.latch where until_us <= now_us and ${isUnawaited(s, 'latch.name')}
    limit p_limit for update skip locked);
  names := array(select name from unnest(names) n (name) where ${isUnawaited(s, 'n.name')});
  delete from ${s}.latch_waiter where name = any (names);
  delete from ${s}.latch_party where name = any (names);
  delete from ${s}.latch where name = any (names);
  -- A row that a transaction has locked is passed over. What an older token may not do, the lock's row refuses.
  delete from ${s}.fence where ctid = any (array(
    select ctid from ${s}.fence where token < now_us - 86400000000 limit p_limit for update skip locked));
end
$function$;`
