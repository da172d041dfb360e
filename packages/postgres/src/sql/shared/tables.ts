/**
 * The tables of read/write locks and semaphores. A read/write lock is a semaphore of which a writer takes all permits.
 *
 * The object's row has the sum of all permits that are held, so that a step need not look at the holds of others.
 */
export const sharedTables = (s: string, persistence: 'unlogged' | ''): string => `
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
create type ${s}.admission as (object ${s}.shared, has_entered boolean, blocked_until_us bigint);`
