import { admit, attributes, passOverUnlessListening } from './blocks.js'

/**
 * `pass_on`: hands a free lock to the first live waiter, or to the first ahead of p_before. Called with the row of the
 * lock locked; returns the row as it is to be.
 *
 * A waiter whose client does not listen is passed over and keeps its ticket. An entry past its time is dropped.
 *
 * Notifies the client of the waiter: granted <owner> <token> <now_us> <lease, ms> <proof> <name>.
 */
export const handOff = (s: string): string => `
create function ${s}.pass_on(l ${s}.lock, now_us bigint, p_floor bigint, p_before text) returns ${s}.lock
language plpgsql ${attributes} as $function$
declare
  waiter ${s}.place;
  last_ticket bigint := 0;
  end_ticket bigint;
begin
  if p_before is not null then
    select ticket into end_ticket from ${s}.place where name = l.name and owner = p_before;
  end if;
  loop
    select * into waiter from ${s}.place
      where name = l.name and ticket > last_ticket and (end_ticket is null or ticket < end_ticket)
      order by ticket limit 1;
    exit when not found;
    last_ticket := waiter.ticket;
    if waiter.alive_until_us > now_us then
${passOverUnlessListening}
${admit('waiter.owner', 'waiter.grant_lease_ms')}
      perform pg_notify(waiter.inbox,
        concat_ws(' ', 'granted', l.owner, l.token, now_us, waiter.grant_lease_ms, waiter.proof, l.name));
    end if;
    delete from ${s}.place where name = l.name and ticket = waiter.ticket;
    l.waiting := l.waiting - 1;
    exit when l.owner is not null;
  end loop;
  return l;
end
$function$;`
