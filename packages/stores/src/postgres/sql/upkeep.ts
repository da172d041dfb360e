import {
  attributes,
  checkAllTimes,
  checkRange,
  lockTables,
  msUntil,
  readClock,
  type KindTables,
} from './blocks.js'

/** The longest that a renewal waits for a row that something else has locked, and how long a refresh does, milliseconds. */
const longestRowWaitMs = 1_000
const refreshWaitMs = 200

/** How far a refresh searches the queue for a position. */
const mostSearched = 100

/**
 * Locks the rows of the objects of a step that can be locked: one that something else has locked costs the others nothing. Waits
 * for all of them at first, up to a time in all, in one order, so that two steps never wait for each other. Sets locked.
 *
 * @param waitMs - an expression; up to 0: does not wait
 */
const lockRows = (s: string, { object }: KindTables, waitMs: string): string => `
  if ${waitMs} > 0 then
    begin
      perform set_config('lock_timeout', (${waitMs})::text, true);
      perform from ${s}.${object} where name = any (p_names) order by name for no key update;
    exception when lock_not_available then
      null;
    end;
  end if;
  locked := array(
    select name from ${s}.${object} where name = any (p_names) order by name for no key update skip locked);`

/**
 * Extends the leases of holders, never shortening one; one number each, in order: 1 renewed, 0 not held, 2 not known, since
 * something else has locked the row. Waits for such a row for up to p_wait_ms. Safe to run twice.
 *
 * @param name - of the function
 */
export const renewFunction = (s: string, name: string, tables: KindTables): string => `
create function ${s}.${name}(
  p_names text[], p_owners text[], p_leases_ms bigint[], p_wait_ms int, out states text
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
  locked text[];
begin
${checkRange(['p_wait_ms'], 0, longestRowWaitMs)}
${checkAllTimes('p_leases_ms')}
${lockRows(s, tables, 'p_wait_ms')}
  ${readClock}
  update ${s}.${tables.hold} l set until_us = now_us + 1000 * r.lease_ms
  from (
    select name, owner, max(lease_ms) as lease_ms from unnest(p_names, p_owners, p_leases_ms) r (name, owner, lease_ms)
    group by name, owner
  ) r
  where l.name = r.name and l.owner = r.owner and l.until_us > now_us and l.until_us < now_us + 1000 * r.lease_ms
    and l.name = any (locked);
  select string_agg(
    case
      when r.name <> all (locked) and exists (select from ${s}.${tables.object} o where o.name = r.name) then '2'
      when l.name is null then '0'
      else '1'
    end, ' ' order by r.i) into states
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join ${s}.${tables.hold} l on l.name = r.name and l.owner = r.owner and l.until_us > now_us;
end
$function$;`

/**
 * Keeps queue entries alive, and has them know where their client listens now. In `states` one pair of numbers each, in order:
 * 1 waiting, 2 granted or 0 missing, and the milliseconds until the owner may enter without a notice (-2: it should request now).
 * In `obstacles` a list each: of who is in the way of one that waits ('': nobody), and its position (0: further back than is
 * searched); otherwise empty. Safe to run twice.
 *
 * @param name - of the function
 * @param readStates - sets `states` and `obstacles`. Reads p_names, p_owners and now_us.
 */
export const refreshFunction = (s: string, name: string, tables: KindTables, readStates: string): string => `
create function ${s}.${name}(
  p_names text[], p_owners text[], p_entries_ms bigint[], p_inbox text, p_inbox_key bigint,
  out states text, out obstacles text
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
  locked text[];
begin
${checkAllTimes('p_entries_ms')}
${lockRows(s, tables, String(refreshWaitMs))}
  ${readClock}
  -- An entry of an object that could not be locked stays as it is until the next refresh. Entries of a queue that is over count no longer; the next step on the object removes them.
  with kept as (
    update ${s}.${tables.place} p set alive_until_us = now_us + 1000 * r.entry_ms, inbox = p_inbox, inbox_key = p_inbox_key
    from unnest(p_names, p_owners, p_entries_ms) r (name, owner, entry_ms), ${s}.${tables.object} l
    where p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
      and l.name = p.name and l.queue_until_us > now_us and l.name = any (locked)
    returning p.name, r.entry_ms
  )
  update ${s}.${tables.object} l set queue_until_us = now_us + 2000 * k.entry_ms
  from (select name, max(entry_ms) as entry_ms from kept group by name) k
  where l.name = k.name and l.queue_until_us - now_us < 1250 * k.entry_ms;
${readStates}
end
$function$;`

/** The first entries of the queues, by name, and how they come: `ahead`. Reads p_names. */
export const readAhead = (s: string, { place }: KindTables): string => `
  left join (
    select q.name, e.owner, e.rank
    from (select distinct unnest(p_names) as name) q
    cross join lateral (
      select f.owner, row_number() over (order by f.ticket) as rank
      from (
        select p.owner, p.ticket from ${s}.${place} p where p.name = q.name order by p.ticket limit ${mostSearched}
      ) f
    ) e
  ) ahead on ahead.name = r.name and ahead.owner = r.owner`

const lockStates = (s: string): string => `
  select string_agg(
    concat_ws(' ',
      case
        when p.name is not null then 1
        when l.owner = r.owner and l.until_us > now_us then 2
        else 0
      end,
      case when l.owner is not null and l.until_us > now_us then ${msUntil('l.until_us')} else -2 end),
    ' ' order by r.i),
    json_agg(
      case
        when p.name is not null and l.owner is not null and l.until_us > now_us
        then json_build_array(l.owner, coalesce(ahead.rank, 0))
        else '[]'
      end order by r.i)
  into states, obstacles
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join ${s}.lock l on l.name = r.name
  left join ${s}.place p on p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
    and l.queue_until_us > now_us${readAhead(s, lockTables)};`

/** `renew` and `refresh`, of locks. */
export const upkeep = (s: string): string =>
  renewFunction(s, 'renew', lockTables) + refreshFunction(s, 'refresh', lockTables, lockStates(s))
