import { attributes, checkRange, readClock } from './blocks.js'

/** Whether nobody holds any permits of an object with this name. */
const isUnheld = (s: string, name: string): string =>
  `not exists (select from ${s}.shared_hold h where h.name = ${name} and h.until_us > now_us)`

/** The same of clients that wait for a latch. */
const isUnawaited = (s: string, name: string): string =>
  `not exists (select from ${s}.latch_waiter w where w.name = ${name} and w.until_us > now_us)`

/** The most rows of each table that a sweep deletes. */
const mostRows = 1_000

/** Counts the rows that the last statement deleted. Sets deleted. */
const count = `
  get diagnostics last_deleted = row_count;
  deleted := greatest(deleted, last_deleted);`

/**
 * `sweep`: deletes rows that no step needs any more, up to p_limit of each table, and passes over any that a step works on
 * just now. Never waits. Returns how many rows it deleted of the table from which it deleted most; -1 if another sweep runs.
 *
 * At most one sweep runs in a schema: it locks the row of the store, which only this function's owner can.
 */
export const sweep = (s: string): string => `
create function ${s}.sweep(p_limit int, out deleted int) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
  names text[];
  last_deleted int;
begin
${checkRange(['p_limit'], 1, mostRows)}
  insert into ${s}.store default values on conflict do nothing;
  perform from ${s}.store for update skip locked;
  if not found then
    deleted := -1;
    return;
  end if;
  deleted := 0;
  ${readClock}
  delete from ${s}.tombstone where ctid = any (array(
    select ctid from ${s}.tombstone where until_us <= now_us limit p_limit for update skip locked));${count}
  delete from ${s}.client where ctid = any (array(
    select ctid from ${s}.client where until_us <= now_us limit p_limit for update skip locked));${count}
  names := array(
    select name from ${s}.lock
    where until_us <= now_us and fence_until_us <= now_us and (waiting = 0 or queue_until_us <= now_us)
    limit p_limit for update skip locked);
  delete from ${s}.place where name = any (names);
  delete from ${s}.lock where name = any (names);${count}
  names := array(
    select name from ${s}.shared
    where fence_until_us <= now_us and size_until_us <= now_us and (waiting = 0 or queue_until_us <= now_us)
      and ${isUnheld(s, 'shared.name')}
    limit p_limit for update skip locked);
  -- A renewal locks the object's row and changes only the hold's: it may have done so before the row was locked here.
  names := array(select name from unnest(names) n (name) where ${isUnheld(s, 'n.name')});
  delete from ${s}.shared_place where name = any (names);
  delete from ${s}.shared_hold where name = any (names);
  delete from ${s}.shared where name = any (names);${count}
  names := array(
    select name from ${s}.latch where until_us <= now_us and ${isUnawaited(s, 'latch.name')}
    limit p_limit for update skip locked);
  names := array(select name from unnest(names) n (name) where ${isUnawaited(s, 'n.name')});
  delete from ${s}.latch_waiter where name = any (names);
  delete from ${s}.latch_party where name = any (names);
  delete from ${s}.latch where name = any (names);${count}
  -- A row that a transaction has locked is passed over. What an older token may not do, the lock's row refuses.
  delete from ${s}.fence where ctid = any (array(
    select ctid from ${s}.fence where token < now_us - 86400000000 limit p_limit for update skip locked));${count}
end
$function$;`
