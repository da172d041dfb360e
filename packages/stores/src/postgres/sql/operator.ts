import { attributes, readClock } from './blocks.js'

/** Whether a row is of an object that is held, and whether some wait for it, per table. Both read now_us. */
const listed = (s: string) =>
  ({
    lock: {
      held: 'o.owner is not null and o.until_us > now_us',
      awaited: 'o.waiting > 0 and o.queue_until_us > now_us',
    },
    shared: {
      held: `o.used > 0 and exists (select from ${s}.shared_hold h where h.name = o.name and h.until_us > now_us)`,
      awaited: 'o.waiting > 0 and o.queue_until_us > now_us',
    },
    latch: {
      held: 'o.generation >= o.first_generation and o.opened <> o.generation and o.until_us > now_us',
      awaited: `exists (select from ${s}.latch_waiter w where w.name = o.name and w.until_us > now_us)`,
    },
  }) as const

const tables = ['lock', 'shared', 'latch'] as const

const listTable = (s: string, table: (typeof tables)[number]): string => {
  const { held, awaited } = listed(s)[table]
  return `
  ${table === 'lock' ? 'if' : 'elsif'} p_table = '${table}' then
    select coalesce(json_agg(o.name) filter (where ${awaited} or not p_contended and ${held}), '[]'), count(*),
      max(o.name)
    into names, scanned, last_name
    from (select * from ${s}.${table} where name > p_after order by name limit p_limit) o;`
}

/**
 * `list`: one step through the rows of a table, in the order of their names: the names that are held or waited for among the
 * next p_limit, how many there were, and the last one. Changes nothing and waits for nothing.
 */
const list = (s: string): string => `
create function ${s}.list(
  p_table text, p_after text, p_limit int, p_contended boolean, out names text, out scanned int, out last_name text
) language plpgsql stable ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
${tables.map((table) => listTable(s, table)).join('')}
  end if;
end
$function$;

create function ${s}.size(out total bigint) language sql stable ${attributes} as $function$
  select ${tables.map((table) => `pg_stat_get_live_tuples('${s}.${table}'::regclass)`).join(' + ')}
$function$;`

/**
 * `listening`: on which of these channels a client listens, by their places in the list. A client holds the advisory lock of
 * its channel for as long as it does; all clients of PGlite are this very session.
 */
const listening = (s: string): string => `
create function ${s}.listening(p_channels text[], out places text) language sql volatile ${attributes} as $function$
  with held as materialized (
    select (l.classid::bigint << 32) | l.objid::bigint as key from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
  )
  select coalesce(json_agg(c.i), '[]') from unnest(p_channels) with ordinality c (channel, i)
  where hashtextextended(c.channel, 0) in (select key from held)
    or c.channel in (select pg_listening_channels())
$function$;`

/** `clients`: what clients have registered with whose registration has not expired. */
const clients = (s: string): string => `
create function ${s}.clients(
  out id text, out host text, out pid bigint, out label text, out started_at_us bigint
) returns setof record language sql volatile ${attributes} as $function$
  select id, host, pid, label, started_at_us from ${s}.client
  where until_us > (extract(epoch from clock_timestamp()) * 1000000)::bigint
$function$;`

/** `tell`: sends a text on those of these channels on which a client listens; returns which, as `listening`. */
const tell = (s: string): string => `
create function ${s}.tell(p_channels text[], p_text text, out places text)
language plpgsql ${attributes} as $function$
begin
  select l.places into tell.places from ${s}.listening(p_channels) l;
  perform pg_notify(p_channels[place.value::int], 'told ' || p_text)
    from json_array_elements_text(places::json) place;
end
$function$;`

/** What operators ask for. */
export const operator = (s: string): string => list(s) + listening(s) + clients(s) + tell(s)
