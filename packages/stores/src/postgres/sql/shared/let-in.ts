import { attributes, drawToken, passOverUnlessListening } from '../blocks.js'
import { room } from './blocks.js'

/** Notices stay below PostgreSQL's 8,000 bytes with so many owners and the longest name. */
const ownersPerNotice = 50

/**
 * `let_in`: lets in all waiters that fit, in order, up to the first that does not. Called with the row of the object locked;
 * returns the row as it is to be.
 *
 * A waiter enters if used + want <= size. One that nobody can notify (see `pass_on`), or that wants more than there is in
 * all, is passed over: it keeps its ticket and stops nobody. One that takes all that is left of the size that it knows is
 * the last. An entry past its time is dropped.
 *
 * p_requester is the owner whose request this step is, if it is one: with its ticket it is judged at its position, without
 * one after all of them. Its grant_lease_ms is the lease that it requests, and it has no inbox: it gets a reply.
 *
 * All that enter in a step share a token. Notifies each client once:
 * entered <token> <now_us> <owner>:<lease, ms>:<proof>,<owner>:<lease, ms>:<proof>,… <name>
 */
export const letInFunction = (s: string): string => `
create function ${s}.let_in(
  l ${s}.shared, now_us bigint, p_floor bigint, p_requester ${s}.shared_place
) returns ${s}.admission language plpgsql ${attributes} as $function$
declare
  admission ${s}.admission;
  waiter ${s}.shared_place;
  entrants ${s}.shared_place[] := '{}';
  dropped bigint[] := '{}';
  is_requester boolean;
  room bigint;
  used_before bigint := l.used;
  -- While it is paused, nobody is looked at, so that many who wait cost nothing.
  is_closed boolean := l.version > 0 and l.size = 0;
  shortest_ms bigint;
  longest_ms bigint;
begin
  admission.has_entered := false;
  if l.waiting > 0 and not is_closed then
    for waiter in select * from ${s}.shared_place where name = l.name order by ticket loop
      is_requester := waiter.owner is not distinct from p_requester.owner;
      if waiter.alive_until_us <= now_us then
        dropped := array_append(dropped, waiter.ticket);
        if is_requester then
          p_requester.ticket := null;
        end if;
        continue;
      end if;
      room := ${room('waiter.size')};
      continue when waiter.want > room;
      if not is_requester then
${passOverUnlessListening}
      end if;
      is_closed := l.used + waiter.want > room;
      if is_closed then
        admission.blocked_until_us := case when not is_requester then waiter.alive_until_us end;
        exit;
      end if;
      if is_requester then
        admission.has_entered := true;
        waiter.grant_lease_ms := p_requester.grant_lease_ms;
        waiter.inbox := null;
      end if;
      dropped := array_append(dropped, waiter.ticket);
      entrants := array_append(entrants, waiter);
      l.used := l.used + waiter.want;
      is_closed := l.used >= room;
      exit when is_closed;
    end loop;
  end if;
  if p_requester.owner is not null and p_requester.ticket is null and not is_closed
    and l.used + p_requester.want <= ${room('p_requester.size')}
  then
    l.used := l.used + p_requester.want;
    entrants := array_append(entrants, p_requester);
    admission.has_entered := true;
  end if;

  if cardinality(dropped) > 0 then
    delete from ${s}.shared_place where name = l.name and ticket = any (dropped);
    l.waiting := l.waiting - cardinality(dropped);
  end if;
  if cardinality(entrants) > 0 then
    select min(grant_lease_ms), max(grant_lease_ms) into shortest_ms, longest_ms from unnest(entrants);
${drawToken('longest_ms')}
    l.ends_from_us := least(case when used_before > 0 then l.ends_from_us end, now_us + 1000 * shortest_ms);
    insert into ${s}.shared_hold (name, owner, permits, token, until_us)
      select l.name, owner, want, l.token, now_us + 1000 * grant_lease_ms from unnest(entrants);
    perform pg_notify(inbox, concat_ws(' ', 'entered', l.token, now_us,
        string_agg(concat(owner, ':', grant_lease_ms, ':', proof), ',' order by nth), l.name))
      from unnest(entrants) with ordinality
        e (name, ticket, owner, want, size, alive_until_us, grant_lease_ms, inbox, inbox_key, proof, nth)
      where inbox is not null group by inbox, (nth - 1) / ${ownersPerNotice};
  end if;
  admission.object := l;
  return admission;
end
$function$;`
