import { attributes, checkTimes, msUntil, readClock } from '../blocks.js'
import { begin, declarations, isOpen, isSet, saveLatch } from './blocks.js'

/**
 * `latch_wait`: looks at latches, in the order of their names so that two steps never wait for each other, and has the client
 * notified for p_alive_ms (0: has it not). p_generations: what each waits for, 0 at first; p_bound: whether for that very one.
 *
 * Returns a pair of numbers each, in order: 1 passed, 2 closed, 0 not set, -1 deleted or lost; and a generation. Safe to run
 * twice.
 */
const wait = (s: string): string => `
create function ${s}.latch_wait(
  p_names text[], p_generations bigint[], p_bound boolean[], p_alive_ms bigint[], p_client text, p_inbox text,
  out states text
) language plpgsql ${attributes} as $function$${declarations(s)}
  waits record;
  p_name text;
  found_states text[];
begin
  for waits in
    select * from unnest(p_names, p_generations, p_bound, p_alive_ms) with ordinality
      w (name, generation, is_bound, alive_ms, i) order by name collate "C"
  loop
${checkTimes('waits.alive_ms')}
    p_name := waits.name;
${begin(s)}
    found_states[waits.i] := case
      when waits.is_bound and waits.generation between l.first_generation and l.opened then '1 ' || waits.generation
      when waits.is_bound and (not ${isSet} or l.generation <> waits.generation) then '-1 0'
      when not waits.is_bound and ${isSet} and (${isOpen} or
          waits.generation > 0 and l.first_generation <= l.opened and waits.generation <= l.opened)
        then '1 ' || l.opened
      when ${isSet} then '2 ' || l.generation
      when waits.generation > 0 then '0 ' || waits.generation
      else '0 ' || greatest(now_us, l.generation + 1)
    end;
    if waits.alive_ms > 0 and found_states[waits.i] ~ '^[02]' then
      insert into ${s}.latch_waiter (name, client, inbox, until_us)
      values (p_name, p_client, p_inbox, now_us + 1000 * waits.alive_ms)
      on conflict (name, client) do update set inbox = excluded.inbox, until_us = excluded.until_us;
      if ${isSet} then
        l.until_us := greatest(l.until_us, now_us + 1000 * greatest(l.keep_ms, 2 * waits.alive_ms));
      end if;
    end if;
${saveLatch(s)}
  end loop;
  states := array_to_string(found_states, ' ');
end
$function$;`

/** `latch_inspect`: what a latch is like, up to p_limit of those who counted down and of the clients that wait. Changes nothing. */
const inspect = (s: string): string => `
create function ${s}.latch_inspect(
  p_name text, p_limit int, out state text, out full_count int, out ttl_ms bigint, out parties text,
  out waiter_count int, out waiters text
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
  select concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous), l.count,
    ${msUntil('l.until_us')},
    (select json_agg(p.party) from (select * from ${s}.latch_party where name = l.name limit p_limit) p)
  into state, full_count, ttl_ms, parties
  from ${s}.latch l where l.name = p_name and l.generation > 0 and l.until_us > now_us;
  if not found then
    state := '0 1 0 0 0';
    full_count := 0;
    ttl_ms := -2;
  end if;
  parties := coalesce(parties, '[]');
  select count(*) into waiter_count from ${s}.latch_waiter where name = p_name and until_us > now_us;
  select coalesce(json_agg(w.client), '[]') into waiters
    from (select client from ${s}.latch_waiter where name = p_name and until_us > now_us limit p_limit) w;
end
$function$;`

export const latchWaiting = (s: string): string => wait(s) + inspect(s)
