import { attributes, lockOrMakeRow, readClock, save, settle } from './blocks.js'

/** Ends hold and queue entry of p_owner, and hands the lock on. Reads and sets l. */
const giveUp = (s: string): string => `
    if is_mine then
      l.owner := null;
    elsif l.waiting > 0 then
      delete from ${s}.place where name = p_name and owner = p_owner;
      if found then
        l.waiting := l.waiting - 1;
      end if;
    end if;`

const handOn = (s: string): string => `
    if l.owner is null and l.waiting > 0 then
      l := ${s}.pass_on_1(l, now_us, p_floor, null);
    end if;`

/**
 * `release_1`: sets the hold count. At 0 gives up hold and queue entry, leaves a tombstone for p_tombstone_ms (0: none), and
 * hands a free lock on.
 *
 * Returns whether the owner held the lock. Safe to run twice: the second time it does not.
 *
 * A tombstone needs the lock's row, even of a lock that nobody has used: a late request that runs at the same time waits for
 * the row, and then sees the tombstone.
 */
export const release = (s: string): string => `
create function ${s}.release_1(
  p_name text, p_owner text, p_count int, p_tombstone_ms bigint, p_floor bigint, out is_mine boolean
) language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin
  if p_tombstone_ms > 0 then
${lockOrMakeRow(s)}
  else
    select * into l from ${s}.lock where name = p_name for no key update;
    if not found then
      is_mine := false;
      return;
    end if;
  end if;
  was := l;
  ${readClock}
${settle(s)}

  is_mine := l.owner is not distinct from p_owner;
  if p_count > 0 then
    if is_mine then
      l.hold_count := p_count;
    end if;
  else
${giveUp(s)}
    if p_tombstone_ms > 0 then
      insert into ${s}.tombstone (name, owner, until_us) values (p_name, p_owner, now_us + 1000 * p_tombstone_ms)
      on conflict (name, owner) do update set until_us = excluded.until_us;
    end if;
${handOn(s)}
  end if;
${save(s)}
end
$function$;

create function ${s}.force_1(
  p_name text, p_owner text, p_inbox text, p_floor bigint, out is_mine boolean
) language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin
  select * into l from ${s}.lock where name = p_name for no key update;
  was := l;
  ${readClock}
${settle(s)}

  is_mine := l.owner is not distinct from p_owner;
  if is_mine then
    l.owner := null;
    perform pg_notify(p_inbox, concat_ws(' ', 'revoked', p_owner));
${handOn(s)}
  end if;
  if l.name is not null then
${save(s)}
  end if;
end
$function$;`
