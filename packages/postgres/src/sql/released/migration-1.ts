/**
 * What version 0.1.0 created, word for word: a released migration never changes. `migrations.spec.ts` has its hash.
 *
 * @param s - the schema, quoted
 */
export const migration1 = (s: string, persistence: 'unlogged' | ''): string => `
create ${persistence} table ${s}.lock (
  name text collate "C" primary key,
  owner text collate "C",
  hold_count int not null default 0,
  until_us bigint not null default 0,
  token bigint not null default 0,
  fence_until_us bigint not null default 0,
  last_ticket bigint not null default 0,
  waiting int not null default 0,
  queue_until_us bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${persistence} table ${s}.place (
  name text collate "C",
  ticket bigint,
  owner text collate "C" not null,
  alive_until_us bigint not null,
  grant_lease_ms bigint not null,
  inbox text not null,
  inbox_key bigint,
  primary key (name, ticket),
  unique (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${persistence} table ${s}.tombstone (
  name text collate "C",
  owner text collate "C",
  until_us bigint not null,
  primary key (name, owner)
);

create ${persistence} table ${s}.client (
  id text collate "C" primary key,
  host text not null,
  pid bigint not null,
  label text not null,
  started_at_us bigint not null,
  until_us bigint not null
);

-- Logged in any case: it belongs to transactions of the application.
create table ${s}.fence (
  name text collate "C" primary key,
  token bigint not null
);

-- Its one row is made with the first lock, and goes with the locks: a crash empties unlogged tables.
create ${persistence} table ${s}.store (
  is_this boolean primary key default true check (is_this),
  id uuid not null default gen_random_uuid(),
  since_us bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint
);

create function ${s}.pass_on_1(l ${s}.lock, now_us bigint, p_floor bigint, p_before text) returns ${s}.lock
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  waiter ${s}.place;
  last_ticket bigint := 0;
  end_ticket bigint;
begin
  if p_before is not null then
    select ticket into end_ticket from ${s}.place where name = l.name and owner = p_before;
  end if;
  loop
    select * into waiter from ${s}.place
      where name = l.name and ticket > last_ticket and (end_ticket is null or ticket < end_ticket)
      order by ticket limit 1;
    exit when not found;
    last_ticket := waiter.ticket;
    if waiter.alive_until_us > now_us then

      continue when waiter.inbox_key is null;
      if pg_try_advisory_xact_lock_shared(waiter.inbox_key) then
        continue when not exists (select from pg_listening_channels() c where c = waiter.inbox);
      end if;

    l.owner := waiter.owner;
    l.hold_count := 1;
    l.until_us := now_us + 1000 * waiter.grant_lease_ms;
    l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end);
    l.fence_until_us := now_us + 1000 * greatest(60000, 2 * waiter.grant_lease_ms);
      perform pg_notify(waiter.inbox,
        concat_ws(' ', 'granted', l.owner, l.token, now_us, waiter.grant_lease_ms, l.name));
    end if;
    delete from ${s}.place where name = l.name and ticket = waiter.ticket;
    l.waiting := l.waiting - 1;
    exit when l.owner is not null;
  end loop;
  return l;
end
$function$;

create function ${s}.acquire_1(
  p_name text, p_owner text, p_count int, p_lease_ms bigint, p_entry_ms bigint, p_grant_lease_ms bigint,
  p_inbox text, p_inbox_key bigint, p_floor bigint,
  out kind text, out fencing_token bigint, out ttl_ms bigint, out server_us bigint, out holder text,
  out queue_position int
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
  own_ticket bigint;
begin

  loop
    select * into l from ${s}.lock where name = p_name for no key update;
    exit when found;
    insert into ${s}.lock (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.until_us <= now_us then
    l.owner := null;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.place where name = l.name;
    l.waiting := 0;
  end if;

  if l.owner = p_owner then
    kind := 'held';
    l.until_us := greatest(l.until_us, now_us + 1000 * p_lease_ms);
    if p_count > 1 then
      l.hold_count := p_count;
      fencing_token := case when l.fence_until_us > now_us then l.token else 0 end;
    elsif l.fence_until_us > now_us then
      
    l.fence_until_us := greatest(l.fence_until_us, now_us + 1000 * greatest(60000, 2 * p_lease_ms));
      fencing_token := l.token;
    else
      
    l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end);
    l.fence_until_us := now_us + 1000 * greatest(60000, 2 * p_lease_ms);
      fencing_token := l.token;
    end if;
  elsif p_count > 1 then
    kind := 'lost';
  elsif exists (select from ${s}.tombstone where name = p_name and owner = p_owner and until_us > now_us) then
    kind := 'abandoned';
  else
    if l.owner is null and l.waiting > 0 then
      l := ${s}.pass_on_1(l, now_us, p_floor, p_owner);
    end if;
    if l.owner is null then
      kind := 'held';
      if l.waiting > 0 then

      delete from ${s}.place where name = p_name and owner = p_owner;
      if found then
        l.waiting := l.waiting - 1;
      end if;
      end if;

    l.owner := p_owner;
    l.hold_count := 1;
    l.until_us := now_us + 1000 * p_lease_ms;
    l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end);
    l.fence_until_us := now_us + 1000 * greatest(60000, 2 * p_lease_ms);
      fencing_token := l.token;
    else
      kind := 'busy';
      ttl_ms := ceil((l.until_us - now_us) / 1000.0)::bigint;
      server_us := now_us;
      holder := l.owner;
      queue_position := 0;
      if p_entry_ms > 0 then

        if l.waiting = 0 or l.queue_until_us - now_us < 1250 * p_entry_ms then
          l.queue_until_us := now_us + 2000 * p_entry_ms;
        end if;
        if l.waiting > 0 then
          update ${s}.place set alive_until_us = now_us + 1000 * p_entry_ms, grant_lease_ms = p_grant_lease_ms,
            inbox = p_inbox, inbox_key = p_inbox_key
          where name = p_name and owner = p_owner returning ticket into own_ticket;
        end if;
        if own_ticket is null then
          l.last_ticket := l.last_ticket + 1;
          l.waiting := l.waiting + 1;
          queue_position := l.waiting;
          insert into ${s}.place (name, ticket, owner, alive_until_us, grant_lease_ms, inbox, inbox_key)
          values (p_name, l.last_ticket, p_owner, now_us + 1000 * p_entry_ms, p_grant_lease_ms, p_inbox, p_inbox_key);
        else
          select count(*) into queue_position from ${s}.place where name = p_name and ticket <= own_ticket;
        end if;
      end if;
    end if;
  end if;

  if l is distinct from was then
    update ${s}.lock set owner = l.owner, hold_count = l.hold_count, until_us = l.until_us, token = l.token,
      fence_until_us = l.fence_until_us, last_ticket = l.last_ticket, waiting = l.waiting, queue_until_us = l.queue_until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.release_1(
  p_name text, p_owner text, p_count int, p_tombstone_ms bigint, p_floor bigint, out is_mine boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin

  if p_tombstone_ms > 0 then

  loop
    select * into l from ${s}.lock where name = p_name for no key update;
    exit when found;
    insert into ${s}.lock (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  else
    select * into l from ${s}.lock where name = p_name for no key update;
    if not found then
      is_mine := false;
      return;
    end if;
  end if;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.until_us <= now_us then
    l.owner := null;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.place where name = l.name;
    l.waiting := 0;
  end if;

  is_mine := l.owner is not distinct from p_owner;
  if p_count > 0 then
    if is_mine then
      l.hold_count := p_count;
    end if;
  else

    if is_mine then
      l.owner := null;
    elsif l.waiting > 0 then

      delete from ${s}.place where name = p_name and owner = p_owner;
      if found then
        l.waiting := l.waiting - 1;
      end if;
    end if;

    if p_tombstone_ms > 0 then
      insert into ${s}.tombstone (name, owner, until_us) values (p_name, p_owner, now_us + 1000 * p_tombstone_ms)
      on conflict (name, owner) do update set until_us = excluded.until_us;
    end if;

    if l.owner is null and l.waiting > 0 then
      l := ${s}.pass_on_1(l, now_us, p_floor, null);
    end if;
  end if;

  if l is distinct from was then
    update ${s}.lock set owner = l.owner, hold_count = l.hold_count, until_us = l.until_us, token = l.token,
      fence_until_us = l.fence_until_us, last_ticket = l.last_ticket, waiting = l.waiting, queue_until_us = l.queue_until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.force_1(
  p_name text, p_owner text, p_inbox text, p_floor bigint, out is_mine boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin
  select * into l from ${s}.lock where name = p_name for no key update;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.until_us <= now_us then
    l.owner := null;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.place where name = l.name;
    l.waiting := 0;
  end if;

  is_mine := l.owner is not distinct from p_owner;
  if is_mine then
    l.owner := null;
    perform pg_notify(p_inbox, concat_ws(' ', 'revoked', p_owner));

    if l.owner is null and l.waiting > 0 then
      l := ${s}.pass_on_1(l, now_us, p_floor, null);
    end if;
  end if;
  if l.name is not null then

  if l is distinct from was then
    update ${s}.lock set owner = l.owner, hold_count = l.hold_count, until_us = l.until_us, token = l.token,
      fence_until_us = l.fence_until_us, last_ticket = l.last_ticket, waiting = l.waiting, queue_until_us = l.queue_until_us
    where name = l.name;
  end if;
  end if;
end
$function$;

create function ${s}.renew_1(p_names text[], p_owners text[], p_leases_ms bigint[], out states text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  perform from ${s}.lock where name = any (p_names) order by name for no key update;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  update ${s}.lock l set until_us = now_us + 1000 * r.lease_ms
  from (
    select name, owner, max(lease_ms) as lease_ms from unnest(p_names, p_owners, p_leases_ms) r (name, owner, lease_ms)
    group by name, owner
  ) r
  where l.name = r.name and l.owner = r.owner and l.until_us > now_us and l.until_us < now_us + 1000 * r.lease_ms;
  select string_agg(case when l.name is null then '0' else '1' end, ' ' order by r.i) into states
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join ${s}.lock l on l.name = r.name and l.owner = r.owner and l.until_us > now_us;
end
$function$;
create function ${s}.refresh_1(
  p_names text[], p_owners text[], p_entries_ms bigint[], p_inbox text, p_inbox_key bigint, out states text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  perform from ${s}.lock where name = any (p_names) order by name for no key update;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  -- Entries of a queue that is over count no longer; the next step on the object removes them.
  with kept as (
    update ${s}.place p set alive_until_us = now_us + 1000 * r.entry_ms, inbox = p_inbox, inbox_key = p_inbox_key
    from unnest(p_names, p_owners, p_entries_ms) r (name, owner, entry_ms), ${s}.lock l
    where p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
      and l.name = p.name and l.queue_until_us > now_us
    returning p.name, r.entry_ms
  )
  update ${s}.lock l set queue_until_us = now_us + 2000 * k.entry_ms
  from (select name, max(entry_ms) as entry_ms from kept group by name) k
  where l.name = k.name and l.queue_until_us - now_us < 1250 * k.entry_ms;

  select string_agg(
    concat_ws(' ',
      case
        when p.name is not null then 1
        when l.owner = r.owner and l.until_us > now_us then 2
        else 0
      end,
      case when l.owner is not null and l.until_us > now_us then ceil((l.until_us - now_us) / 1000.0)::bigint else -2 end),
    ' ' order by r.i) into states
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join ${s}.lock l on l.name = r.name
  left join ${s}.place p on p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
    and l.queue_until_us > now_us;
end
$function$;

create function ${s}.inspect_1(
  p_name text, p_limit int, out owner text, out hold_count int, out ttl_ms bigint, out fencing_token bigint,
  out waiting int, out waiters text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  owner := '';
  hold_count := 0;
  ttl_ms := -2;
  fencing_token := 0;
  waiting := 0;
  waiters := '[]';
  select
    case when l.owner is not null and l.until_us > now_us then l.owner else '' end,
    case when l.owner is not null and l.until_us > now_us then l.hold_count else 0 end,
    case when l.owner is not null and l.until_us > now_us then ceil((l.until_us - now_us) / 1000.0)::bigint else -2 end,
    case when l.fence_until_us > now_us then l.token else 0 end,
    case when l.queue_until_us > now_us then l.waiting else 0 end,
    (select coalesce(json_agg(json_build_array(w.owner, greatest(0, ceil((w.alive_until_us - now_us) / 1000.0)::bigint))), '[]')
     from (
       select p.owner, p.alive_until_us from ${s}.place p
       where p.name = l.name and l.queue_until_us > now_us order by p.ticket limit p_limit
     ) w)
  into inspect_1.owner, inspect_1.hold_count, ttl_ms, fencing_token, inspect_1.waiting, waiters
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
$function$;
create function ${s}.register_1(
  p_id text, p_host text, p_pid bigint, p_label text, p_started_at_us bigint, p_ttl_ms bigint
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  insert into ${s}.client (id, host, pid, label, started_at_us, until_us)
  values (p_id, p_host, p_pid, p_label, p_started_at_us, now_us + 1000 * p_ttl_ms)
  on conflict (id) do update set until_us = excluded.until_us;
end
$function$;

create function ${s}.find_1(
  p_id text, out host text, out pid bigint, out label text, out started_at_us bigint
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  select c.host, c.pid, c.label, c.started_at_us into find_1.host, find_1.pid, find_1.label, find_1.started_at_us
  from ${s}.client c where c.id = p_id and c.until_us > now_us;
end
$function$;
create function ${s}.hello_1(out store text, out persistence text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
begin
  insert into ${s}.store default values on conflict do nothing;
  store := (select t.id || ' ' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) from ${s}.store t);
  select case c.relpersistence when 'u' then 'unlogged' else 'logged' end into persistence
  from pg_class c where c.oid = '${s}.lock'::regclass;
end
$function$;

create function ${s}.raise_token_1(p_name text, p_token bigint, p_keep_ms bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.lock;
  now_us bigint;
begin

  loop
    select * into l from ${s}.lock where name = p_name for no key update;
    exit when found;
    insert into ${s}.lock (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  update ${s}.lock set
    token = greatest(p_token, case when l.fence_until_us > now_us then l.token else 0 end),
    fence_until_us = greatest(l.fence_until_us, now_us + 1000 * p_keep_ms)
  where name = p_name;
end
$function$;
create function ${s}.uptime_1(out uptime_ms bigint) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  insert into ${s}.store default values on conflict do nothing;
  select greatest(0, (now_us - t.since_us) / 1000) into uptime_ms from ${s}.store t;
end
$function$;

create ${persistence} table ${s}.shared (
  name text collate "C" primary key,
  token bigint not null default 0,
  fence_until_us bigint not null default 0,
  last_ticket bigint not null default 0,
  waiting int not null default 0,
  queue_until_us bigint not null default 0,
  used bigint not null default 0,
  -- No hold ends before this instant.
  ends_from_us bigint not null default 0,
  -- What the object was resized to; version 0: it was not.
  size bigint not null default 0,
  version int not null default 0,
  size_id text collate "C",
  size_until_us bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${persistence} table ${s}.shared_hold (
  name text collate "C",
  owner text collate "C",
  permits bigint not null,
  token bigint not null,
  until_us bigint not null,
  primary key (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${persistence} table ${s}.shared_place (
  name text collate "C",
  ticket bigint,
  owner text collate "C" not null,
  want bigint not null,
  -- How many permits there are in all, as far as its client knows.
  size bigint not null,
  alive_until_us bigint not null,
  grant_lease_ms bigint not null,
  inbox text not null,
  inbox_key bigint,
  primary key (name, ticket),
  unique (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What let_in_1 returns: the row as it is to be, whether the requester entered, and until when another owner blocks it.
create type ${s}.admission as (object ${s}.shared, has_entered boolean, blocked_until_us bigint);

create function ${s}.let_in_1(
  l ${s}.shared, now_us bigint, p_floor bigint, p_requester ${s}.shared_place
) returns ${s}.admission language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  admission ${s}.admission;
  waiter ${s}.shared_place;
  entrants ${s}.shared_place[] := '{}';
  dropped bigint[] := '{}';
  is_requester boolean;
  room bigint;
  used_before bigint := l.used;
  -- While it is paused, nobody is looked at, so that many who wait cost nothing.
  is_closed boolean := l.version > 0 and l.size = 0;
  shortest_ms bigint;
  longest_ms bigint;
begin
  admission.has_entered := false;
  if l.waiting > 0 and not is_closed then
    for waiter in select * from ${s}.shared_place where name = l.name order by ticket loop
      is_requester := waiter.owner is not distinct from p_requester.owner;
      if waiter.alive_until_us <= now_us then
        dropped := array_append(dropped, waiter.ticket);
        if is_requester then
          p_requester.ticket := null;
        end if;
        continue;
      end if;
      room := (case when l.version > 0 then l.size else waiter.size end);
      continue when waiter.want > room;
      if not is_requester then

      continue when waiter.inbox_key is null;
      if pg_try_advisory_xact_lock_shared(waiter.inbox_key) then
        continue when not exists (select from pg_listening_channels() c where c = waiter.inbox);
      end if;
      end if;
      is_closed := l.used + waiter.want > room;
      if is_closed then
        admission.blocked_until_us := case when not is_requester then waiter.alive_until_us end;
        exit;
      end if;
      if is_requester then
        admission.has_entered := true;
        waiter.grant_lease_ms := p_requester.grant_lease_ms;
        waiter.inbox := null;
      end if;
      dropped := array_append(dropped, waiter.ticket);
      entrants := array_append(entrants, waiter);
      l.used := l.used + waiter.want;
      is_closed := l.used >= room;
      exit when is_closed;
    end loop;
  end if;
  if p_requester.owner is not null and p_requester.ticket is null and not is_closed
    and l.used + p_requester.want <= (case when l.version > 0 then l.size else p_requester.size end)
  then
    l.used := l.used + p_requester.want;
    entrants := array_append(entrants, p_requester);
    admission.has_entered := true;
  end if;

  if cardinality(dropped) > 0 then
    delete from ${s}.shared_place where name = l.name and ticket = any (dropped);
    l.waiting := l.waiting - cardinality(dropped);
  end if;
  if cardinality(entrants) > 0 then
    select min(grant_lease_ms), max(grant_lease_ms) into shortest_ms, longest_ms from unnest(entrants);

    l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end);
    l.fence_until_us := now_us + 1000 * greatest(60000, 2 * longest_ms);
    l.ends_from_us := least(case when used_before > 0 then l.ends_from_us end, now_us + 1000 * shortest_ms);
    insert into ${s}.shared_hold (name, owner, permits, token, until_us)
      select l.name, owner, want, l.token, now_us + 1000 * grant_lease_ms from unnest(entrants);
    perform pg_notify(inbox, concat_ws(' ', 'entered', l.token, now_us,
        string_agg(concat(owner, ':', grant_lease_ms), ',' order by nth), l.name))
      from unnest(entrants) with ordinality
        e (name, ticket, owner, want, size, alive_until_us, grant_lease_ms, inbox, inbox_key, nth)
      where inbox is not null group by inbox, (nth - 1) / 50;
  end if;
  admission.object := l;
  return admission;
end
$function$;

create function ${s}.acquire_shared_1(
  p_name text, p_owner text, p_want bigint, p_size bigint, p_lease_ms bigint, p_entry_ms bigint,
  p_grant_lease_ms bigint, p_inbox text, p_inbox_key bigint, p_floor bigint,
  out kind text, out fencing_token bigint, out ttl_ms bigint, out server_us bigint, out holder text,
  out queue_position int
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  mine ${s}.shared_hold;
  requester ${s}.shared_place;
  admission ${s}.admission;
  first_end_us bigint;
begin

  loop
    select * into l from ${s}.shared where name = p_name for no key update;
    exit when found;
    insert into ${s}.shared (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.used > 0 and l.ends_from_us <= now_us then
    delete from ${s}.shared_hold where name = l.name and until_us <= now_us;
    select coalesce(sum(permits), 0), coalesce(min(until_us), 0) into l.used, l.ends_from_us
      from ${s}.shared_hold where name = l.name;
  end if;
  if l.size_until_us <= now_us then
    l.version := 0;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.shared_place where name = l.name;
    l.waiting := 0;
  end if;

  if l.used > 0 then
    select * into mine from ${s}.shared_hold where name = p_name and owner = p_owner;
  end if;
  if mine.permits < p_want then
    kind := 'lost';
  elsif mine.permits is not null then
    kind := 'held';
    fencing_token := mine.token;
    update ${s}.shared_hold set until_us = now_us + 1000 * p_lease_ms
      where name = p_name and owner = p_owner and until_us < now_us + 1000 * p_lease_ms;
    if l.fence_until_us > now_us then
      
    l.fence_until_us := greatest(l.fence_until_us, now_us + 1000 * greatest(60000, 2 * p_lease_ms));
    end if;
  elsif exists (select from ${s}.tombstone where name = p_name and owner = p_owner and until_us > now_us) then
    kind := 'abandoned';
  else
    requester.owner := p_owner;
    requester.want := p_want;
    requester.size := p_size;
    requester.grant_lease_ms := p_lease_ms;
    -- At its own position it is judged as it is now.
    if l.waiting > 0 and p_entry_ms > 0 then
      update ${s}.shared_place set want = p_want, size = p_size, alive_until_us = now_us + 1000 * p_entry_ms,
        grant_lease_ms = p_grant_lease_ms, inbox = p_inbox, inbox_key = p_inbox_key
      where name = p_name and owner = p_owner returning ticket into requester.ticket;
    elsif l.waiting > 0 then
      select ticket into requester.ticket from ${s}.shared_place where name = p_name and owner = p_owner;
    end if;
    -- One that comes last and does not fit leaves the queue as it is. Those in it look for themselves when a lease has ended.
    if requester.ticket is not null or l.used + p_want <= (case when l.version > 0 then l.size else p_size end) then
      admission := ${s}.let_in_1(l, now_us, p_floor, requester);
      l := admission.object;
    end if;
    if admission.has_entered then
      kind := 'held';
      fencing_token := l.token;
    else
      kind := 'busy';
      server_us := now_us;
      select owner, until_us into holder, first_end_us
        from ${s}.shared_hold where name = p_name order by until_us, owner limit 1;
      holder := coalesce(holder, '');
      first_end_us := least(coalesce(first_end_us, now_us + 60000000), admission.blocked_until_us,
        case when l.version > 0 then l.size_until_us end);
      ttl_ms := ceil((first_end_us - now_us) / 1000.0)::bigint;
      queue_position := 0;
      if p_entry_ms > 0 then

        if l.waiting = 0 or l.queue_until_us - now_us < 1250 * p_entry_ms then
          l.queue_until_us := now_us + 2000 * p_entry_ms;
        end if;
        if requester.ticket is null then
          l.last_ticket := l.last_ticket + 1;
          l.waiting := l.waiting + 1;
          queue_position := l.waiting;
          insert into ${s}.shared_place
            (name, ticket, owner, want, size, alive_until_us, grant_lease_ms, inbox, inbox_key)
          values (p_name, l.last_ticket, p_owner, p_want, p_size, now_us + 1000 * p_entry_ms, p_grant_lease_ms,
            p_inbox, p_inbox_key);
        else
          select count(*) into queue_position
            from ${s}.shared_place where name = p_name and ticket <= requester.ticket;
        end if;
      end if;
    end if;
  end if;

  if l is distinct from was then
    update ${s}.shared set token = l.token, fence_until_us = l.fence_until_us, last_ticket = l.last_ticket,
      waiting = l.waiting, queue_until_us = l.queue_until_us, used = l.used, ends_from_us = l.ends_from_us,
      size = l.size, version = l.version, size_id = l.size_id, size_until_us = l.size_until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.release_shared_1(
  p_name text, p_owner text, p_left bigint, p_tombstone_ms bigint, p_floor bigint, out is_mine boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  permits_held bigint;
  admission ${s}.admission;
begin

  if p_tombstone_ms > 0 then

  loop
    select * into l from ${s}.shared where name = p_name for no key update;
    exit when found;
    insert into ${s}.shared (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  else
    select * into l from ${s}.shared where name = p_name for no key update;
    if not found then
      is_mine := false;
      return;
    end if;
  end if;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.used > 0 and l.ends_from_us <= now_us then
    delete from ${s}.shared_hold where name = l.name and until_us <= now_us;
    select coalesce(sum(permits), 0), coalesce(min(until_us), 0) into l.used, l.ends_from_us
      from ${s}.shared_hold where name = l.name;
  end if;
  if l.size_until_us <= now_us then
    l.version := 0;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.shared_place where name = l.name;
    l.waiting := 0;
  end if;

  if p_left = 0 then

    delete from ${s}.shared_hold where name = p_name and owner = p_owner returning permits into permits_held;
    is_mine := found;
    if is_mine then
      l.used := l.used - permits_held;
    end if;
    if l.waiting > 0 and not is_mine then

      delete from ${s}.shared_place where name = p_name and owner = p_owner;
      if found then
        l.waiting := l.waiting - 1;
      end if;
    end if;

    if p_tombstone_ms > 0 then
      insert into ${s}.tombstone (name, owner, until_us) values (p_name, p_owner, now_us + 1000 * p_tombstone_ms)
      on conflict (name, owner) do update set until_us = excluded.until_us;
    end if;
  else
    select permits into permits_held from ${s}.shared_hold where name = p_name and owner = p_owner;
    is_mine := found;
    if permits_held > p_left then
      update ${s}.shared_hold set permits = p_left where name = p_name and owner = p_owner;
      l.used := l.used - permits_held + p_left;
    end if;
  end if;

  if l.waiting > 0 then
    admission := ${s}.let_in_1(l, now_us, p_floor, null);
    l := admission.object;
  end if;

  if l is distinct from was then
    update ${s}.shared set token = l.token, fence_until_us = l.fence_until_us, last_ticket = l.last_ticket,
      waiting = l.waiting, queue_until_us = l.queue_until_us, used = l.used, ends_from_us = l.ends_from_us,
      size = l.size, version = l.version, size_id = l.size_id, size_until_us = l.size_until_us
    where name = l.name;
  end if;
end
$function$;
create function ${s}.force_shared_1(
  p_name text, p_owner text, p_inbox text, p_floor bigint, out is_mine boolean
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  permits_held bigint;
  admission ${s}.admission;
begin
  is_mine := false;
  select * into l from ${s}.shared where name = p_name for no key update;
  if not found then
    return;
  end if;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.used > 0 and l.ends_from_us <= now_us then
    delete from ${s}.shared_hold where name = l.name and until_us <= now_us;
    select coalesce(sum(permits), 0), coalesce(min(until_us), 0) into l.used, l.ends_from_us
      from ${s}.shared_hold where name = l.name;
  end if;
  if l.size_until_us <= now_us then
    l.version := 0;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.shared_place where name = l.name;
    l.waiting := 0;
  end if;


    delete from ${s}.shared_hold where name = p_name and owner = p_owner returning permits into permits_held;
    is_mine := found;
    if is_mine then
      l.used := l.used - permits_held;
    end if;
  if is_mine then
    perform pg_notify(p_inbox, concat_ws(' ', 'revoked', p_owner));

  if l.waiting > 0 then
    admission := ${s}.let_in_1(l, now_us, p_floor, null);
    l := admission.object;
  end if;
  end if;

  if l is distinct from was then
    update ${s}.shared set token = l.token, fence_until_us = l.fence_until_us, last_ticket = l.last_ticket,
      waiting = l.waiting, queue_until_us = l.queue_until_us, used = l.used, ends_from_us = l.ends_from_us,
      size = l.size, version = l.version, size_id = l.size_id, size_until_us = l.size_until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.resize_1(
  p_name text, p_size bigint, p_keep_ms bigint, p_seen int, p_id text, p_floor bigint,
  out kind text, out version int, out size bigint
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  admission ${s}.admission;
begin

  loop
    select * into l from ${s}.shared where name = p_name for no key update;
    exit when found;
    insert into ${s}.shared (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if l.used > 0 and l.ends_from_us <= now_us then
    delete from ${s}.shared_hold where name = l.name and until_us <= now_us;
    select coalesce(sum(permits), 0), coalesce(min(until_us), 0) into l.used, l.ends_from_us
      from ${s}.shared_hold where name = l.name;
  end if;
  if l.size_until_us <= now_us then
    l.version := 0;
  end if;

  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.shared_place where name = l.name;
    l.waiting := 0;
  end if;

  kind := 'resized';
  if l.version > 0 and l.size_id = p_id then
    null;
  elsif l.version <> p_seen then
    kind := 'superseded';
  else
    l.size := p_size;
    l.version := l.version + 1;
    l.size_id := p_id;
    l.size_until_us := now_us + 1000 * p_keep_ms;

  if l.waiting > 0 then
    admission := ${s}.let_in_1(l, now_us, p_floor, null);
    l := admission.object;
  end if;
  end if;
  version := l.version;
  size := case when l.version > 0 then l.size else 0 end;

  if l is distinct from was then
    update ${s}.shared set token = l.token, fence_until_us = l.fence_until_us, last_ticket = l.last_ticket,
      waiting = l.waiting, queue_until_us = l.queue_until_us, used = l.used, ends_from_us = l.ends_from_us,
      size = l.size, version = l.version, size_id = l.size_id, size_until_us = l.size_until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.renew_shared_1(p_names text[], p_owners text[], p_leases_ms bigint[], out states text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  perform from ${s}.shared where name = any (p_names) order by name for no key update;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  update ${s}.shared_hold l set until_us = now_us + 1000 * r.lease_ms
  from (
    select name, owner, max(lease_ms) as lease_ms from unnest(p_names, p_owners, p_leases_ms) r (name, owner, lease_ms)
    group by name, owner
  ) r
  where l.name = r.name and l.owner = r.owner and l.until_us > now_us and l.until_us < now_us + 1000 * r.lease_ms;
  select string_agg(case when l.name is null then '0' else '1' end, ' ' order by r.i) into states
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join ${s}.shared_hold l on l.name = r.name and l.owner = r.owner and l.until_us > now_us;
end
$function$;
create function ${s}.refresh_shared_1(
  p_names text[], p_owners text[], p_entries_ms bigint[], p_inbox text, p_inbox_key bigint, out states text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  perform from ${s}.shared where name = any (p_names) order by name for no key update;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  -- Entries of a queue that is over count no longer; the next step on the object removes them.
  with kept as (
    update ${s}.shared_place p set alive_until_us = now_us + 1000 * r.entry_ms, inbox = p_inbox, inbox_key = p_inbox_key
    from unnest(p_names, p_owners, p_entries_ms) r (name, owner, entry_ms), ${s}.shared l
    where p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
      and l.name = p.name and l.queue_until_us > now_us
    returning p.name, r.entry_ms
  )
  update ${s}.shared l set queue_until_us = now_us + 2000 * k.entry_ms
  from (select name, max(entry_ms) as entry_ms from kept group by name) k
  where l.name = k.name and l.queue_until_us - now_us < 1250 * k.entry_ms;

  with outlook as (
    select o.name, o.queue_until_us, first.owner as blocker, first.alive_until_us as blocked_until_us,
      first.owner is not null
        and (first.alive_until_us <= now_us or coalesce(held.used, 0) + first.want <= first.room) as is_open,
      least(coalesce(held.first_end_us, now_us + 60000000),
        case when resized.size is not null then o.size_until_us end) as change_us
    from ${s}.shared o
    cross join lateral (
      select case when o.version > 0 and o.size_until_us > now_us then o.size end as size
    ) resized
    cross join lateral (
      select sum(h.permits) as used, min(h.until_us) as first_end_us
      from ${s}.shared_hold h where h.name = o.name and h.until_us > now_us
    ) held
    left join lateral (
      select p.owner, p.want, p.alive_until_us, coalesce(resized.size, p.size) as room
      from ${s}.shared_place p
      where p.name = o.name and o.queue_until_us > now_us and coalesce(resized.size, 1) > 0
        and (p.alive_until_us <= now_us or p.want <= coalesce(resized.size, p.size))
      order by p.ticket limit 1
    ) first on true
    where o.name = any (p_names)
  )
  select string_agg(
    concat_ws(' ',
      case
        when p.name is not null then 1
        when h.name is not null then 2
        else 0
      end,
      case
        when o.is_open then -2
        when o.name is null then 60000
        else ceil((least(o.change_us, case when o.blocker <> r.owner then o.blocked_until_us end) - now_us) / 1000.0)::bigint
      end),
    ' ' order by r.i) into states
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join outlook o on o.name = r.name
  left join ${s}.shared_hold h on h.name = r.name and h.owner = r.owner and h.until_us > now_us
  left join ${s}.shared_place p on p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
    and o.queue_until_us > now_us;
end
$function$;

create function ${s}.inspect_shared_1(
  p_name text, p_limit int, out size bigint, out version int, out used bigint, out holder_count int,
  out fencing_token bigint, out waiting int, out holders text, out waiters text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  select coalesce(sum(h.permits), 0), count(*) into inspect_shared_1.used, holder_count
    from ${s}.shared_hold h where h.name = p_name and h.until_us > now_us;
  select coalesce(json_agg(json_build_array(h.owner, h.permits, ceil((h.until_us - now_us) / 1000.0)::bigint)), '[]') into holders
    from (
      select * from ${s}.shared_hold h where h.name = p_name and h.until_us > now_us
      order by h.until_us, h.owner limit p_limit
    ) h;
  select
    case when o.version > 0 and o.size_until_us > now_us then o.size else 0 end,
    case when o.version > 0 and o.size_until_us > now_us then o.version else 0 end,
    case when o.fence_until_us > now_us then o.token else 0 end,
    case when o.queue_until_us > now_us then o.waiting else 0 end,
    (select json_agg(json_build_array(w.owner, w.want, greatest(0, ceil((w.alive_until_us - now_us) / 1000.0)::bigint)))
     from (
       select * from ${s}.shared_place p
       where p.name = o.name and o.queue_until_us > now_us order by p.ticket limit p_limit
     ) w)
  into inspect_shared_1.size, inspect_shared_1.version, fencing_token, inspect_shared_1.waiting, waiters
  from ${s}.shared o where o.name = p_name;
  size := coalesce(size, 0);
  version := coalesce(version, 0);
  fencing_token := coalesce(fencing_token, 0);
  waiting := coalesce(waiting, 0);
  waiters := coalesce(waiters, '[]');
end
$function$;

create ${persistence} table ${s}.latch (
  name text collate "C" primary key,
  -- See LatchState in the port: the last count that was set or deleted, and the oldest that the store vouches for.
  generation bigint not null default 0,
  first_generation bigint not null default 1,
  opened bigint not null default 0,
  remaining int not null default 0,
  previous bigint not null default 0,
  count int not null default 0,
  keep_ms bigint not null default 0,
  setter text collate "C" not null default '',
  -- The store that had the data when the count was set.
  incarnation text collate "C" not null default '',
  until_us bigint not null default 0
) with (fillfactor = 50);

create ${persistence} table ${s}.latch_party (
  name text collate "C",
  party text collate "C",
  primary key (name, party)
);

-- The clients that wait. They also wait for a count, so their rows do not end with the latch.
create ${persistence} table ${s}.latch_waiter (
  name text collate "C",
  client text collate "C",
  inbox text not null,
  until_us bigint not null,
  primary key (name, client)
);

create function ${s}.latch_set_1(
  p_name text, p_named bigint, p_setter text, p_count int, p_keep_ms bigint, out kind text, out state text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.latch;
  was ${s}.latch;
  now_us bigint;
  current_store text;
begin


  loop
    select * into l from ${s}.latch where name = p_name for no key update;
    exit when found;
    insert into ${s}.latch (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  if l.generation > 0 and l.until_us <= now_us then
    delete from ${s}.latch_party where name = p_name;
    l.generation := 0;
    l.first_generation := 1;
    l.opened := 0;
    l.remaining := 0;
    l.previous := 0;
    l.count := 0;
    l.setter := '';
  end if;
  kind := 'done';
  if l.setter = p_setter then
    null;
  elsif l.generation <> p_named or (l.generation >= l.first_generation) and not (l.generation >= l.first_generation and l.opened = l.generation) then
    kind := 'other';
  else
    -- The tables may have been emptied since the client connected.
    insert into ${s}.store default values on conflict do nothing;
    current_store := (select t.id || ' ' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) from ${s}.store t);
    -- A standby that was promoted may lack the last of what was set.
    if not (l.generation >= l.first_generation) or l.incarnation <> current_store then
      l.first_generation := greatest(now_us, p_named + 1);
    end if;
    l.generation := greatest(now_us, p_named + 1);
    l.previous := p_named;
    l.remaining := p_count;
    l.count := p_count;
    l.keep_ms := p_keep_ms;
    l.setter := p_setter;
    l.incarnation := current_store;
    l.until_us := now_us + 1000 * p_keep_ms;
    delete from ${s}.latch_party where name = p_name;
  end if;
  state := concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous);

  if l is distinct from was then
    update ${s}.latch set generation = l.generation, first_generation = l.first_generation, opened = l.opened,
      remaining = l.remaining, previous = l.previous, count = l.count, keep_ms = l.keep_ms, setter = l.setter,
      incarnation = l.incarnation, until_us = l.until_us
    where name = l.name;
  end if;
end
$function$;
create function ${s}.latch_count_down_1(
  p_name text, p_named bigint, p_party text, out kind text, out state text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.latch;
  was ${s}.latch;
  now_us bigint;
begin


  loop
    select * into l from ${s}.latch where name = p_name for no key update;
    exit when found;
    insert into ${s}.latch (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  if l.generation > 0 and l.until_us <= now_us then
    delete from ${s}.latch_party where name = p_name;
    l.generation := 0;
    l.first_generation := 1;
    l.opened := 0;
    l.remaining := 0;
    l.previous := 0;
    l.count := 0;
    l.setter := '';
  end if;
  kind := 'done';
  if l.generation <> p_named or not (l.generation >= l.first_generation) then
    kind := 'other';
  else
    l.until_us := greatest(l.until_us, now_us + 1000 * l.keep_ms);
    if not (l.generation >= l.first_generation and l.opened = l.generation) then
      insert into ${s}.latch_party (name, party) values (p_name, p_party) on conflict do nothing;
      if found then
        l.remaining := l.remaining - 1;
      end if;
    end if;
    if l.remaining = 0 and not (l.generation >= l.first_generation and l.opened = l.generation) then
      l.opened := l.generation;
      delete from ${s}.latch_party where name = p_name;

      perform pg_notify(inbox, concat_ws(' ', 'open', l.generation, l.name))
        from ${s}.latch_waiter where name = p_name;
      delete from ${s}.latch_waiter where name = p_name;
    end if;
  end if;
  state := concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous);

  if l is distinct from was then
    update ${s}.latch set generation = l.generation, first_generation = l.first_generation, opened = l.opened,
      remaining = l.remaining, previous = l.previous, count = l.count, keep_ms = l.keep_ms, setter = l.setter,
      incarnation = l.incarnation, until_us = l.until_us
    where name = l.name;
  end if;
end
$function$;
create function ${s}.latch_delete_1(
  p_name text, p_named bigint, p_tombstone_ms bigint, out kind text, out state text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.latch;
  was ${s}.latch;
  now_us bigint;
begin


  loop
    select * into l from ${s}.latch where name = p_name for no key update;
    exit when found;
    insert into ${s}.latch (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  if l.generation > 0 and l.until_us <= now_us then
    delete from ${s}.latch_party where name = p_name;
    l.generation := 0;
    l.first_generation := 1;
    l.opened := 0;
    l.remaining := 0;
    l.previous := 0;
    l.count := 0;
    l.setter := '';
  end if;
  kind := 'done';
  if l.generation <> p_named then
    kind := 'other';
  elsif (l.generation >= l.first_generation) then
    l.first_generation := p_named + 1;
    l.remaining := 0;
    l.until_us := now_us + 1000 * p_tombstone_ms;
    delete from ${s}.latch_party where name = p_name;

      perform pg_notify(inbox, concat_ws(' ', 'gone', l.generation, l.name))
        from ${s}.latch_waiter where name = p_name;
      delete from ${s}.latch_waiter where name = p_name;
  end if;
  state := concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous);

  if l is distinct from was then
    update ${s}.latch set generation = l.generation, first_generation = l.first_generation, opened = l.opened,
      remaining = l.remaining, previous = l.previous, count = l.count, keep_ms = l.keep_ms, setter = l.setter,
      incarnation = l.incarnation, until_us = l.until_us
    where name = l.name;
  end if;
end
$function$;

create function ${s}.latch_wait_1(
  p_names text[], p_generations bigint[], p_bound boolean[], p_alive_ms bigint[], p_client text, p_inbox text,
  out states text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  l ${s}.latch;
  was ${s}.latch;
  now_us bigint;
  waits record;
  p_name text;
  found_states text[];
begin
  for waits in
    select * from unnest(p_names, p_generations, p_bound, p_alive_ms) with ordinality
      w (name, generation, is_bound, alive_ms, i) order by name collate "C"
  loop
    p_name := waits.name;


  loop
    select * into l from ${s}.latch where name = p_name for no key update;
    exit when found;
    insert into ${s}.latch (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;
  was := l;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  if l.generation > 0 and l.until_us <= now_us then
    delete from ${s}.latch_party where name = p_name;
    l.generation := 0;
    l.first_generation := 1;
    l.opened := 0;
    l.remaining := 0;
    l.previous := 0;
    l.count := 0;
    l.setter := '';
  end if;
    found_states[waits.i] := case
      when waits.is_bound and waits.generation between l.first_generation and l.opened then '1 ' || waits.generation
      when waits.is_bound and (not (l.generation >= l.first_generation) or l.generation <> waits.generation) then '-1 0'
      when not waits.is_bound and (l.generation >= l.first_generation) and ((l.generation >= l.first_generation and l.opened = l.generation) or
          waits.generation > 0 and l.first_generation <= l.opened and waits.generation <= l.opened)
        then '1 ' || l.opened
      when (l.generation >= l.first_generation) then '2 ' || l.generation
      when waits.generation > 0 then '0 ' || waits.generation
      else '0 ' || greatest(now_us, l.generation + 1)
    end;
    if waits.alive_ms > 0 and found_states[waits.i] ~ '^[02]' then
      insert into ${s}.latch_waiter (name, client, inbox, until_us)
      values (p_name, p_client, p_inbox, now_us + 1000 * waits.alive_ms)
      on conflict (name, client) do update set inbox = excluded.inbox, until_us = excluded.until_us;
      if (l.generation >= l.first_generation) then
        l.until_us := greatest(l.until_us, now_us + 1000 * greatest(l.keep_ms, 2 * waits.alive_ms));
      end if;
    end if;

  if l is distinct from was then
    update ${s}.latch set generation = l.generation, first_generation = l.first_generation, opened = l.opened,
      remaining = l.remaining, previous = l.previous, count = l.count, keep_ms = l.keep_ms, setter = l.setter,
      incarnation = l.incarnation, until_us = l.until_us
    where name = l.name;
  end if;
  end loop;
  states := array_to_string(found_states, ' ');
end
$function$;
create function ${s}.latch_inspect_1(
  p_name text, p_limit int, out state text, out full_count int, out ttl_ms bigint, out parties text,
  out waiter_count int, out waiters text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  select concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous), l.count,
    ceil((l.until_us - now_us) / 1000.0)::bigint,
    (select json_agg(p.party) from (select * from ${s}.latch_party where name = l.name limit p_limit) p)
  into state, full_count, ttl_ms, parties
  from ${s}.latch l where l.name = p_name and l.generation > 0 and l.until_us > now_us;
  if not found then
    state := '0 1 0 0 0';
    full_count := 0;
    ttl_ms := -2;
  end if;
  parties := coalesce(parties, '[]');
  select count(*) into waiter_count from ${s}.latch_waiter where name = p_name and until_us > now_us;
  select coalesce(json_agg(w.client), '[]') into waiters
    from (select client from ${s}.latch_waiter where name = p_name and until_us > now_us limit p_limit) w;
end
$function$;

create function ${s}.sweep_1(p_limit int) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
  names text[];
begin
  if not pg_try_advisory_xact_lock(29395908909495160) then
    return;
  end if;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
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
      and not exists (select from ${s}.shared_hold h where h.name = shared.name and h.until_us > now_us)
    limit p_limit for update skip locked);
  -- A renewal locks the object's row and changes only the hold's: it may have done so before the row was locked here.
  names := array(select name from unnest(names) n (name) where not exists (select from ${s}.shared_hold h where h.name = n.name and h.until_us > now_us));
  delete from ${s}.shared_place where name = any (names);
  delete from ${s}.shared_hold where name = any (names);
  delete from ${s}.shared where name = any (names);
  names := array(
    select name from ${s}.latch where until_us <= now_us and not exists (select from ${s}.latch_waiter w where w.name = latch.name and w.until_us > now_us)
    limit p_limit for update skip locked);
  names := array(select name from unnest(names) n (name) where not exists (select from ${s}.latch_waiter w where w.name = n.name and w.until_us > now_us));
  delete from ${s}.latch_waiter where name = any (names);
  delete from ${s}.latch_party where name = any (names);
  delete from ${s}.latch where name = any (names);
  -- A row that a transaction has locked is passed over. What an older token may not do, the lock's row refuses.
  delete from ${s}.fence where ctid = any (array(
    select ctid from ${s}.fence where token < now_us - 86400000000 limit p_limit for update skip locked));
end
$function$;

create function ${s}.fence_1(p_name text, p_owner text, p_token bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
declare
  last_token bigint;
  now_us bigint;
begin
  insert into ${s}.fence as f (name, token) values (p_name, p_token)
  on conflict (name) do update set token = greatest(f.token, excluded.token) returning token into last_token;
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  if last_token > p_token or not exists (
    select from ${s}.lock where name = p_name and owner = p_owner and token = p_token and until_us > now_us
  ) then
    raise exception 'the lock is not held with token %', p_token using errcode = 'HF001';
  end if;
end
$function$;

create function ${s}.list_1(
  p_table text, p_after text, p_limit int, p_contended boolean, out names text, out scanned int, out last_name text
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $function$
declare
  now_us bigint;
begin
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;

  if p_table = 'lock' then
    select coalesce(json_agg(o.name) filter (where o.waiting > 0 and o.queue_until_us > now_us or not p_contended and o.owner is not null and o.until_us > now_us), '[]'), count(*),
      max(o.name)
    into names, scanned, last_name
    from (select * from ${s}.lock where name > p_after order by name limit p_limit) o;
  elsif p_table = 'shared' then
    select coalesce(json_agg(o.name) filter (where o.waiting > 0 and o.queue_until_us > now_us or not p_contended and o.used > 0 and exists (select from ${s}.shared_hold h where h.name = o.name and h.until_us > now_us)), '[]'), count(*),
      max(o.name)
    into names, scanned, last_name
    from (select * from ${s}.shared where name > p_after order by name limit p_limit) o;
  elsif p_table = 'latch' then
    select coalesce(json_agg(o.name) filter (where exists (select from ${s}.latch_waiter w where w.name = o.name and w.until_us > now_us) or not p_contended and o.generation >= o.first_generation and o.opened <> o.generation and o.until_us > now_us), '[]'), count(*),
      max(o.name)
    into names, scanned, last_name
    from (select * from ${s}.latch where name > p_after order by name limit p_limit) o;
  end if;
end
$function$;

create function ${s}.size_1(out total bigint) language sql stable security definer set search_path = pg_catalog, pg_temp as $function$
  select pg_stat_get_live_tuples('${s}.lock'::regclass) + pg_stat_get_live_tuples('${s}.shared'::regclass) + pg_stat_get_live_tuples('${s}.latch'::regclass)
$function$;
create function ${s}.listening_1(p_channels text[], out places text) language sql volatile security definer set search_path = pg_catalog, pg_temp as $function$
  with held as materialized (
    select (l.classid::bigint << 32) | l.objid::bigint as key from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
  )
  select coalesce(json_agg(c.i), '[]') from unnest(p_channels) with ordinality c (channel, i)
  where hashtextextended(c.channel, 0) in (select key from held)
    or c.channel in (select pg_listening_channels())
$function$;
create function ${s}.clients_1(
  out id text, out host text, out pid bigint, out label text, out started_at_us bigint
) returns setof record language sql volatile security definer set search_path = pg_catalog, pg_temp as $function$
  select id, host, pid, label, started_at_us from ${s}.client
  where until_us > (extract(epoch from clock_timestamp()) * 1000000)::bigint
$function$;
create function ${s}.tell_1(p_channels text[], p_text text, out places text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $function$
begin
  select l.places into tell_1.places from ${s}.listening_1(p_channels) l;
  perform pg_notify(p_channels[place.value::int], 'told ' || p_text)
    from json_array_elements_text(places::json) place;
end
$function$;
revoke all on all functions in schema ${s} from public;`
