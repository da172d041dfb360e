import {
  attributes,
  checkLastToken,
  checkRange,
  checkTimes,
  checkToken,
  isAbandoned,
  keepQueue,
  keepToken,
  lockOrMakeRow,
  msUntil,
  readClock,
} from '../blocks.js'
import { mostPermits, room, saveShared, settleShared, sharedTables } from './blocks.js'

/** A blocked owner whose state nothing can change by itself looks again after this time, for nothing. */
export const idleUs = 60_000_000

/**
 * `acquire_shared`: lets the owner in with p_want permits, extends the lease of one that is in, or queues it for p_entry_ms (0:
 * does not). p_size: how many permits there are in all, as far as its client knows.
 *
 * Returns as `acquire`: 'lost' to an owner that holds fewer permits, having given some back since it sent this. `ttl_ms`
 * says when it may fit without a notice, `holder` whose hold ends first, '' when there is none.
 *
 * Safe to run twice: an entry keeps its ticket, a hold its token.
 */
export const acquireShared = (s: string): string => `
create function ${s}.acquire_shared(
  p_name text, p_owner text, p_want bigint, p_size bigint, p_lease_ms bigint, p_entry_ms bigint,
  p_grant_lease_ms bigint, p_inbox text, p_inbox_key bigint, p_floor bigint, p_proof text,
  out kind text, out fencing_token bigint, out ttl_ms bigint, out server_us bigint, out holder text,
  out queue_position int
) language plpgsql ${attributes} as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  mine ${s}.shared_hold;
  requester ${s}.shared_place;
  admission ${s}.admission;
  first_end_us bigint;
begin
${checkTimes('p_lease_ms', 'p_entry_ms', 'p_grant_lease_ms')}
${checkRange(['p_want', 'p_size'], 1, mostPermits)}
${lockOrMakeRow(s, sharedTables)}
  was := l;
  ${readClock}
${checkToken('p_floor')}
${checkLastToken(s, sharedTables)}
${settleShared(s)}

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
      ${keepToken('p_lease_ms')}
    end if;
  elsif ${isAbandoned(s)} then
    kind := 'abandoned';
  else
    requester.owner := p_owner;
    requester.want := p_want;
    requester.size := p_size;
    requester.grant_lease_ms := p_lease_ms;
    -- At its own position it is judged as it is now.
    if l.waiting > 0 and p_entry_ms > 0 then
      update ${s}.shared_place set want = p_want, size = p_size, alive_until_us = now_us + 1000 * p_entry_ms,
        grant_lease_ms = p_grant_lease_ms, inbox = p_inbox, inbox_key = p_inbox_key, proof = p_proof
      where name = p_name and owner = p_owner returning ticket into requester.ticket;
    elsif l.waiting > 0 then
      select ticket into requester.ticket from ${s}.shared_place where name = p_name and owner = p_owner;
    end if;
    -- One that comes last and does not fit leaves the queue as it is. Those in it look for themselves when a lease has ended.
    if requester.ticket is not null or l.used + p_want <= ${room('p_size')} then
      admission := ${s}.let_in(l, now_us, p_floor, requester);
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
      first_end_us := least(coalesce(first_end_us, now_us + ${idleUs}), admission.blocked_until_us,
        case when l.version > 0 then l.size_until_us end);
      ttl_ms := ${msUntil('first_end_us')};
      queue_position := 0;
      if p_entry_ms > 0 then
${keepQueue}
        if requester.ticket is null then
          l.last_ticket := l.last_ticket + 1;
          l.waiting := l.waiting + 1;
          queue_position := l.waiting;
          insert into ${s}.shared_place
            (name, ticket, owner, want, size, alive_until_us, grant_lease_ms, inbox, inbox_key, proof)
          values (p_name, l.last_ticket, p_owner, p_want, p_size, now_us + 1000 * p_entry_ms, p_grant_lease_ms,
            p_inbox, p_inbox_key, p_proof);
        else
          select count(*) into queue_position
            from ${s}.shared_place where name = p_name and ticket <= requester.ticket;
        end if;
      end if;
    end if;
  end if;
${saveShared(s)}
end
$function$;`
