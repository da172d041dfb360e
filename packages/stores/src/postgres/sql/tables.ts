/** What crashes do to the tables: `unlogged` ones are empty afterwards. */
export type TableKind = 'unlogged' | 'logged'

/** All that is stored. Steps find a row by its primary key. */
export const tables = (s: string, kind: TableKind): string => {
  const unlogged = kind === 'unlogged' ? 'unlogged' : ''
  return `
create ${unlogged} table ${s}.lock (
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

create ${unlogged} table ${s}.place (
  name text collate "C",
  ticket bigint,
  owner text collate "C" not null,
  alive_until_us bigint not null,
  grant_lease_ms bigint not null,
  inbox text not null,
  inbox_key bigint,
  -- What the notification of its grant repeats, so that only who can read the tables can make one.
  proof text not null,
  primary key (name, ticket),
  unique (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${unlogged} table ${s}.tombstone (
  name text collate "C",
  owner text collate "C",
  until_us bigint not null,
  primary key (name, owner)
);

create ${unlogged} table ${s}.client (
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
create ${unlogged} table ${s}.store (
  is_this boolean primary key default true check (is_this),
  id uuid not null default gen_random_uuid(),
  since_us bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint
);

create ${unlogged} table ${s}.shared (
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

create ${unlogged} table ${s}.shared_hold (
  name text collate "C",
  owner text collate "C",
  permits bigint not null,
  token bigint not null,
  until_us bigint not null,
  primary key (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create ${unlogged} table ${s}.shared_place (
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
  -- What the notification of its grant repeats, so that only who can read the tables can make one.
  proof text not null,
  primary key (name, ticket),
  unique (name, owner)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- What let_in returns: the row as it is to be, whether the requester entered, and until when another owner blocks it.
create type ${s}.admission as (object ${s}.shared, has_entered boolean, blocked_until_us bigint);

create ${unlogged} table ${s}.latch (
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

create ${unlogged} table ${s}.latch_party (
  name text collate "C",
  party text collate "C",
  primary key (name, party)
);

-- The clients that wait. They also wait for a count, so their rows do not end with the latch.
create ${unlogged} table ${s}.latch_waiter (
  name text collate "C",
  client text collate "C",
  inbox text not null,
  until_us bigint not null,
  primary key (name, client)
);`
}
