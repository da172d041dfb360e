/** The tables of latches. Each step on a latch locks its row first. Generations and instants are microseconds of the server's clock. */
export const latchTables = (s: string, persistence: 'unlogged' | ''): string => `
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
);`
