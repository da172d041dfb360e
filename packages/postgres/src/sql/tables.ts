/**
 * The tables. Instants are microseconds of the server's clock, since 1970.
 *
 * A lock's row outlives its hold: it has the last token, and each step on the lock locks this row first. Nothing
 * refers to an instant in an index, so that a renewal changes no index.
 */
export const tables = (s: string, persistence: 'unlogged' | ''): string => `
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
);`
