import {
  attributes,
  checkTimes,
  checkToken,
  leaveQueue,
  leaveTombstone,
  lockRowToRelease,
  readClock,
} from '../blocks.js'
import { letIn, saveShared, settleShared, sharedTables } from './blocks.js'

const declarations = (s: string): string => `
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  permits_held bigint;
  admission ${s}.admission;`

/** Ends the hold of p_owner. Sets is_mine and permits_held. Reads and sets l. */
const endHold = (s: string): string => `
    delete from ${s}.shared_hold where name = p_name and owner = p_owner returning permits into permits_held;
    is_mine := found;
    if is_mine then
      l.used := l.used - permits_held;
    end if;`

/**
 * `release_shared`: lowers the permits of a hold to p_left, if it has more. With 0 gives up hold and queue entry, and leaves
 * a tombstone for p_tombstone_ms (0: none). Lets in those that fit then.
 *
 * Returns whether the owner held any. Safe to run twice: what is given back already is not given back again.
 */
const release = (s: string): string => `
create function ${s}.release_shared(
  p_name text, p_owner text, p_left bigint, p_tombstone_ms bigint, p_floor bigint, out is_mine boolean
) language plpgsql ${attributes} as $function$${declarations(s)}
begin
${checkTimes('p_tombstone_ms')}
${lockRowToRelease(s, sharedTables)}
  was := l;
  ${readClock}
${checkToken('p_floor')}
${settleShared(s)}

  if p_left = 0 then
${endHold(s)}
    if l.waiting > 0 and not is_mine then
${leaveQueue(s, sharedTables)}
    end if;
${leaveTombstone(s)}
  else
    select permits into permits_held from ${s}.shared_hold where name = p_name and owner = p_owner;
    is_mine := found;
    if permits_held > p_left then
      update ${s}.shared_hold set permits = p_left where name = p_name and owner = p_owner;
      l.used := l.used - permits_held + p_left;
    end if;
  end if;
${letIn(s)}
${saveShared(s)}
end
$function$;`

/** `force_shared`: evicts p_owner, notifies it, and lets in those that fit then. Returns whether it held any. */
const force = (s: string): string => `
create function ${s}.force_shared(
  p_name text, p_owner text, p_inbox text, p_floor bigint, out is_mine boolean
) language plpgsql ${attributes} as $function$${declarations(s)}
begin
  is_mine := false;
  select * into l from ${s}.shared where name = p_name for no key update;
  if not found then
    return;
  end if;
  was := l;
  ${readClock}
${checkToken('p_floor')}
${settleShared(s)}

${endHold(s)}
  if is_mine then
    perform pg_notify(p_inbox, concat_ws(' ', 'revoked', p_owner));
${letIn(s)}
  end if;
${saveShared(s)}
end
$function$;`

export const releaseShared = (s: string): string => release(s) + force(s)
