// Text that several functions share. Each block says which variables it reads and sets.

/** The tables in which objects of one kind are, whose blocks are the same otherwise. */
export interface KindTables {
  /** A row for each object. Every step on the object locks it first. */
  readonly object: 'lock' | 'shared'
  readonly place: 'place' | 'shared_place'
  /** Where holds have their owner and their end. */
  readonly hold: 'lock' | 'shared_hold'
}

export const lockTables: KindTables = { object: 'lock', place: 'place', hold: 'lock' }

/** The server's clock, to be read when the object's row is locked: before, another step may still have run. Sets now_us. */
export const readClock = `now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;`

/** Locks the row of the object p_name, and makes one if there is none. Sets l. */
export const lockOrMakeRow = (
  s: string,
  { object }: { readonly object: KindTables['object'] | 'latch' } = lockTables,
): string => `
  loop
    select * into l from ${s}.${object} where name = p_name for no key update;
    exit when found;
    insert into ${s}.${object} (name) values (p_name) on conflict do nothing returning * into l;
    exit when found;
  end loop;`

/**
 * The same for a release, which changes nothing where there is no row. Sets l and is_mine.
 *
 * A tombstone needs the row, even of an object that nobody has used: a late request that runs at the same time waits for the
 * row, and then sees the tombstone.
 */
export const lockRowToRelease = (s: string, tables = lockTables): string => `
  if p_tombstone_ms > 0 then
${lockOrMakeRow(s, tables)}
  else
    select * into l from ${s}.${tables.object} where name = p_name for no key update;
    if not found then
      is_mine := false;
      return;
    end if;
  end if;`

/** Ends what is due: the hold, and the queue. Reads and sets l. Reads now_us. */
export const settle = (s: string): string => `
  if l.until_us <= now_us then
    l.owner := null;
  end if;
${settleQueue(s)}`

/** Ends a queue whose entries are all past their time. Reads and sets l. Reads now_us. */
export const settleQueue = (s: string, { place } = lockTables): string => `
  if l.waiting > 0 and l.queue_until_us <= now_us then
    delete from ${s}.${place} where name = l.name;
    l.waiting := 0;
  end if;`

/** Has the queue outlive an entry of p_entry_ms. By more than that, so that few entries have to see to it. Reads now_us. Reads and sets l. */
export const keepQueue = `
        if l.waiting = 0 or l.queue_until_us - now_us < 1250 * p_entry_ms then
          l.queue_until_us := now_us + 2000 * p_entry_ms;
        end if;`

/** Removes the queue entry of p_owner. Reads and sets l. */
export const leaveQueue = (s: string, { place } = lockTables): string => `
      delete from ${s}.${place} where name = p_name and owner = p_owner;
      if found then
        l.waiting := l.waiting - 1;
      end if;`

/** Whether late requests of p_owner are refused. Reads now_us. */
export const isAbandoned = (s: string): string =>
  `exists (select from ${s}.tombstone where name = p_name and owner = p_owner and until_us > now_us)`

/** Has late requests of p_owner refused for p_tombstone_ms. Reads now_us. */
export const leaveTombstone = (s: string): string => `
    if p_tombstone_ms > 0 then
      insert into ${s}.tombstone (name, owner, until_us) values (p_name, p_owner, now_us + 1000 * p_tombstone_ms)
      on conflict (name, owner) do update set until_us = excluded.until_us;
    end if;`

/** Has the first waiter ask until when the lock is held: it knows of a hold that is over. Reads now_us. */
export const askAgain = (s: string): string => `
      perform pg_notify(inbox, concat_ws(' ', 'revoked', owner)) from (
        select owner, inbox, alive_until_us from ${s}.place where name = p_name order by ticket limit 1
      ) head where alive_until_us > now_us;`

/** Writes the row back. Reads l and was, the row as it was read. */
export const save = (s: string): string => `
  if l is distinct from was then
    update ${s}.lock set owner = l.owner, hold_count = l.hold_count, until_us = l.until_us, token = l.token,
      fence_until_us = l.fence_until_us, last_ticket = l.last_ticket, waiting = l.waiting, queue_until_us = l.queue_until_us
    where name = l.name;
  end if;`

/** How long the last token is remembered after a grant with this lease, in microseconds. */
const fenceUs = (leaseMs: string): string => `1000 * greatest(60000, 2 * ${leaseMs})`

/**
 * A token larger than the last one, than the clock, and than any that the client of this step has seen. Reads now_us and
 * p_floor. Reads and sets l.
 */
export const drawToken = (leaseMs: string): string => `
    l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0 end);
    l.fence_until_us := now_us + ${fenceUs(leaseMs)};`

/** How far a token may be ahead of the server's clock, microseconds. */
const tokenLeadUs = 86_400_000_000

/** The SQLSTATE of a step on an object whose last token is out of bounds. */
const tokenIsOut = 'HF002'

/** Whether the last token is remembered and further ahead of the clock than any that was granted. Reads l and now_us. */
const isTokenOut = `(l.fence_until_us > now_us and l.token > now_us + ${tokenLeadUs})`

/** Whether the free object may be handed on: a token can be drawn from the last one. Reads l and now_us. */
export const canHandOn = `not ${isTokenOut}`

/**
 * Refuses an object whose last token is out of bounds: any larger one would be, too. Reads l and now_us.
 *
 * @param s - the schema, quoted
 */
export const checkLastToken = (s: string, { object } = lockTables): string => `
  if ${isTokenOut} then
    raise exception 'the last fencing token of % is %, more than a day ahead of the clock of the server (% us): no larger one '
      'is given. Set the clock right, or forget the token if no store has seen it: '
      'update %.${object} set token = 0, fence_until_us = 0 where name = %',
      l.name, l.token, now_us, '${s}', quote_literal(l.name) using errcode = '${tokenIsOut}';
  end if;`

/** Refuses a token from outside that no client can have been given. Reads now_us. */
export const checkToken = (argument: string): string => `
  if (${argument} <= now_us + ${tokenLeadUs}) is not true then
    raise exception '% is %, more than a day ahead of the clock of the server (% us)', '${argument}', ${argument}, now_us
      using errcode = '22023';
  end if;`

/** The longest time that a step takes: a hundred days. Milliseconds. */
const longestMs = 8_640_000_000

/** Refuses times that are none, or that would overflow. */
export const checkTimes = (...arguments_: readonly string[]): string => checkRange(arguments_, 0, longestMs)

/** The same of each number in an array. */
export const checkAllTimes = (array: string): string => `
  if (select coalesce(bool_and(each between 0 and ${longestMs}), true) and ${array} is not null
      and array_position(${array}, null) is null from unnest(${array}) each) is not true then
    raise exception '${array}: out of bounds, from 0 to ${longestMs}' using errcode = '22023';
  end if;`

/** Refuses numbers outside of a range, and null. */
export function checkRange(arguments_: readonly string[], least: number, most: number): string {
  const inRange = arguments_.map((each) => `${each} between ${least} and ${most}`)
  return `
  if (${inRange.join(' and ')}) is not true then
    raise exception '${arguments_.join(', ')}: out of bounds, from ${least} to ${most}' using errcode = '22023';
  end if;`
}

/** Remembers the last token for as long as a hold with this lease needs it. Reads now_us. Reads and sets l. */
export const keepToken = (leaseMs: string): string => `
    l.fence_until_us := greatest(l.fence_until_us, now_us + ${fenceUs(leaseMs)});`

/** Makes an owner the holder. Reads now_us and p_floor. Reads and sets l. */
export const admit = (owner: string, leaseMs: string): string => `
    l.owner := ${owner};
    l.hold_count := 1;
    l.until_us := now_us + 1000 * ${leaseMs};${drawToken(leaseMs)}`

/**
 * Passes over a waiter whose client does not listen now. Reads waiter, in a loop over waiters.
 *
 * A client holds an advisory lock with the key inbox_key for as long as it listens. Where that key can be taken, nobody else
 * holds it: the client does not listen, or does so in this very session, as all clients of PGlite do.
 */
export const passOverUnlessListening = `
      continue when waiter.inbox_key is null;
      if pg_try_advisory_xact_lock_shared(waiter.inbox_key) then
        continue when not exists (select from pg_listening_channels() c where c = waiter.inbox);
      end if;`

/** Milliseconds until an instant, rounded up, so that it has come when they have passed. Reads now_us. */
export const msUntil = (instant: string): string => `ceil((${instant} - now_us) / 1000.0)::bigint`

/** What every function has: it runs with the rights of its owner, and finds only what it names in full. */
export const definer = `security definer set search_path = pg_catalog, pg_temp`

/** How long a step waits for a row that something else has locked, milliseconds. */
const rowWaitMs = 1_000

/**
 * What every step has besides: all statements of a client share a connection, so one that waited for a row for longer would
 * keep its renewals waiting.
 */
export const attributes = `${definer} set lock_timeout = ${rowWaitMs}`
