import { attributes, checkTimes, msUntil, readClock } from './blocks.js'

/** `inspect`: who holds and who waits, the first p_limit of them; `waiters` is a list of an owner and its time each. */
const inspect = (s: string): string => `
create function ${s}.inspect(
  p_name text, p_limit int, out owner text, out hold_count int, out ttl_ms bigint, out fencing_token bigint,
  out waiting int, out waiters text
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
  select
    case when l.owner is not null and l.until_us > now_us then l.owner else '' end,
    case when l.owner is not null and l.until_us > now_us then l.hold_count else 0 end,
    case when l.owner is not null and l.until_us > now_us then ${msUntil('l.until_us')} else -2 end,
    case when l.fence_until_us > now_us then l.token else 0 end,
    case when l.queue_until_us > now_us then l.waiting else 0 end,
    (select coalesce(json_agg(json_build_array(w.owner, greatest(0, ${msUntil('w.alive_until_us')}))), '[]')
     from (
       select p.owner, p.alive_until_us from ${s}.place p
       where p.name = l.name and l.queue_until_us > now_us order by p.ticket limit p_limit
     ) w)
  into inspect.owner, inspect.hold_count, ttl_ms, fencing_token, inspect.waiting, waiters
  from ${s}.lock l where l.name = p_name;
  if not found then
    owner := '';
    hold_count := 0;
    ttl_ms := -2;
    fencing_token := 0;
    waiting := 0;
    waiters := '[]';
  end if;
end
$function$;`

/** `register` and `find`: what clients say of themselves. */
const clients = (s: string): string => `
create function ${s}.register(
  p_id text, p_host text, p_pid bigint, p_label text, p_started_at_us bigint, p_ttl_ms bigint
) returns void language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
${checkTimes('p_ttl_ms')}
  ${readClock}
  insert into ${s}.client (id, host, pid, label, started_at_us, until_us)
  values (p_id, p_host, p_pid, p_label, p_started_at_us, now_us + 1000 * p_ttl_ms)
  on conflict (id) do update set until_us = excluded.until_us;
end
$function$;

create function ${s}.find(
  p_id text, out host text, out pid bigint, out label text, out started_at_us bigint
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
  select c.host, c.pid, c.label, c.started_at_us into find.host, find.pid, find.label, find.started_at_us
  from ${s}.client c where c.id = p_id and c.until_us > now_us;
end
$function$;`

/** Which data this is: changes when it was lost, and when a standby was promoted, which may lack the last of it. */
export const incarnation = (s: string): string =>
  `(select t.id || ' ' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) from ${s}.store t)`

/** `hello`: which data this is, and of which kind the tables are. */
const hello = (s: string): string => `
create function ${s}.hello(out store text, out persistence text) language plpgsql ${attributes} as $function$
begin
  insert into ${s}.store default values on conflict do nothing;
  store := ${incarnation(s)};
  select case c.relpersistence when 'u' then 'unlogged' else 'logged' end into persistence
  from pg_class c where c.oid = '${s}.lock'::regclass;
end
$function$;`

export const reading = (s: string): string => inspect(s) + clients(s) + hello(s)
