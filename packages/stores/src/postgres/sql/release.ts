import {
  askAgain,
  attributes,
  canHandOn,
  checkTimes,
  checkToken,
  leaveQueue,
  leaveTombstone,
  lockRowToRelease,
  readClock,
  save,
  settle,
} from './blocks.js'

/** Ends hold and queue entry of p_owner, and hands the lock on. Reads and sets l. */
const giveUp = (s: string): string => `
    if is_mine then
      l.owner := null;
    elsif l.waiting > 0 then
${leaveQueue(s)}
    end if;`

const handOn = (s: string): string => `
    if l.owner is null and l.waiting > 0 and ${canHandOn} then
      l := ${s}.pass_on(l, now_us, p_floor, null);
    end if;`

/**
 * `release`: sets the hold count. At 0 gives up hold and queue entry, leaves a tombstone for p_tombstone_ms (0: none), and
 * hands a free lock on. With p_keep_ms above 0 the lock stays held for that long, exactly, by p_heir or, without one, '<owner>:kept', and
 * the first waiter is notified: revoked <owner>.
 *
 * Returns whether the owner held the lock, or p_heir holds it. Safe to run twice: the second time it does not, unless p_heir does.
 */
export const release = (s: string): string => `
create function ${s}.release(
  p_name text, p_owner text, p_count int, p_tombstone_ms bigint, p_floor bigint, p_keep_ms bigint default 0,
  p_heir text default null, out is_mine boolean
) language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin
${checkTimes('p_tombstone_ms', 'p_keep_ms')}
${lockRowToRelease(s)}
  was := l;
  ${readClock}
${checkToken('p_floor')}
${settle(s)}

  is_mine := l.owner is not distinct from p_owner;
  if p_count > 0 then
    if is_mine then
      l.hold_count := p_count;
    end if;
  else
${giveUp(s)}
    if is_mine and p_keep_ms > 0 then
      l.owner := coalesce(p_heir, p_owner || ':kept');
      l.hold_count := 1;
      l.until_us := now_us + p_keep_ms * 1000;
${askAgain(s)}
    end if;
${leaveTombstone(s)}
${handOn(s)}
    is_mine := is_mine or coalesce(l.owner = p_heir, false);
  end if;
${save(s)}
end
$function$;

create function ${s}.force(
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
${checkToken('p_floor')}
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
