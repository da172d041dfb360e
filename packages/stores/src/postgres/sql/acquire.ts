import {
  admit,
  askAgain,
  attributes,
  checkLastToken,
  checkTimes,
  checkToken,
  drawToken,
  isAbandoned,
  keepQueue,
  keepToken,
  leaveQueue,
  lockOrMakeRow,
  msUntil,
  readClock,
  save,
  settle,
} from './blocks.js'

/** The lease of a holder that requests the lock again. Reads now_us. Reads and sets l. */
const keepHold = `l.until_us := greatest(l.until_us, now_us + 1000 * p_lease_ms);`

/** The token of a holder that is in already; a new one if the last is lost. Reads now_us and p_floor. Reads and sets l. Sets fencing_token. */
const tokenOfHold = `
    if l.fence_until_us > now_us then
      ${keepToken('p_lease_ms')}
    else
      ${drawToken('p_lease_ms')}
    end if;
    fencing_token := l.token;`

/**
 * `acquire`: lets the owner in, sets the count of one that is in, or queues it for p_entry_ms (0: does not).
 *
 * Returns kind 'held' with fencing_token, 'busy' with ttl_ms, server_us, holder and queue_position (0: not queued), 'lost' (a
 * count above 1 for an owner that does not hold the lock) or 'abandoned' (a tombstone refuses it).
 *
 * Safe to run twice: an entry keeps its ticket, a hold its token. The entry keeps p_proof for the notification of its grant.
 */
export const acquire = (s: string): string => `
create function ${s}.acquire(
  p_name text, p_owner text, p_count int, p_lease_ms bigint, p_entry_ms bigint, p_grant_lease_ms bigint,
  p_inbox text, p_inbox_key bigint, p_floor bigint, p_proof text,
  out kind text, out fencing_token bigint, out ttl_ms bigint, out server_us bigint, out holder text,
  out queue_position int
) language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
  own_ticket bigint;
begin
${checkTimes('p_lease_ms', 'p_entry_ms', 'p_grant_lease_ms')}
${lockOrMakeRow(s)}
  was := l;
  ${readClock}
${checkToken('p_floor')}
${checkLastToken(s)}
${settle(s)}

  if l.owner = p_owner then
    kind := 'held';
    ${keepHold}
    if p_count > 1 then
      l.hold_count := p_count;
      fencing_token := case when l.fence_until_us > now_us then l.token else 0 end;
    else
${tokenOfHold}
    end if;
  elsif p_count > 1 then
    kind := 'lost';
  elsif ${isAbandoned(s)} then
    kind := 'abandoned';
  else
    if l.owner is null and l.waiting > 0 then
      l := ${s}.pass_on(l, now_us, p_floor, p_owner);
    end if;
    if l.owner is null then
      kind := 'held';
      if l.waiting > 0 then
${leaveQueue(s)}
      end if;
${admit('p_owner', 'p_lease_ms')}
      fencing_token := l.token;
    else
      kind := 'busy';
      ttl_ms := ${msUntil('l.until_us')};
      server_us := now_us;
      holder := l.owner;
      queue_position := 0;
      if p_entry_ms > 0 then
${keepQueue}
        if l.waiting > 0 then
          update ${s}.place set alive_until_us = now_us + 1000 * p_entry_ms, grant_lease_ms = p_grant_lease_ms,
            inbox = p_inbox, inbox_key = p_inbox_key, proof = p_proof
          where name = p_name and owner = p_owner returning ticket into own_ticket;
        end if;
        if own_ticket is null then
          l.last_ticket := l.last_ticket + 1;
          l.waiting := l.waiting + 1;
          queue_position := l.waiting;
          insert into ${s}.place (name, ticket, owner, alive_until_us, grant_lease_ms, inbox, inbox_key, proof)
          values (p_name, l.last_ticket, p_owner, now_us + 1000 * p_entry_ms, p_grant_lease_ms, p_inbox, p_inbox_key,
            p_proof);
        else
          select count(*) into queue_position from ${s}.place where name = p_name and ticket <= own_ticket;
        end if;
      end if;
    end if;
  end if;
${save(s)}
end
$function$;`

/**
 * `take_over`: makes the owner the holder of a lock that p_heir holds, and notifies the first waiter: revoked <owner>.
 *
 * Returns as `acquire`; 'busy', with queue_position 0, unless the owner or p_heir holds the lock, with ttl_ms -2 and holder '' if it is free.
 * Safe to run twice, and late: a hold keeps its token.
 */
export const takeOver = (s: string): string => `
create function ${s}.take_over(
  p_name text, p_owner text, p_heir text, p_lease_ms bigint, p_floor bigint,
  out kind text, out fencing_token bigint, out ttl_ms bigint, out server_us bigint, out holder text,
  out queue_position int
) language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  was ${s}.lock;
  now_us bigint;
begin
${checkTimes('p_lease_ms')}
  select * into l from ${s}.lock where name = p_name for no key update;
  was := l;
  ${readClock}
${checkToken('p_floor')}
${settle(s)}

  if l.owner = p_owner then
${checkLastToken(s)}
    kind := 'held';
    ${keepHold}
${tokenOfHold}
  elsif l.owner = p_heir then
${checkLastToken(s)}
    if ${isAbandoned(s)} then
      kind := 'abandoned';
    else
      kind := 'held';
${admit('p_owner', 'p_lease_ms')}
      fencing_token := l.token;
${askAgain(s)}
    end if;
  else
    kind := 'busy';
    ttl_ms := case when l.owner is null then -2 else ${msUntil('l.until_us')} end;
    server_us := now_us;
    holder := coalesce(l.owner, '');
    queue_position := 0;
  end if;
  if l.name is not null then
${save(s)}
  end if;
end
$function$;`
