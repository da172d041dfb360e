import { attributes, checkRange, checkTimes } from '../blocks.js'
import { incarnation } from '../reading.js'
import { begin, declarations, isOpen, isSet, saveLatch, stateText, tell } from './blocks.js'

// Each of these names a generation and changes nothing in any other. Returns kind 'done' or 'other', and what the latch is like.

/**
 * `latch_set`: sets the count if p_named is the last generation, and is open or not set. Safe to run twice: the second time
 * finds p_setter.
 */
const set = (s: string): string => `
create function ${s}.latch_set(
  p_name text, p_named bigint, p_setter text, p_count int, p_keep_ms bigint, out kind text, out state text
) language plpgsql ${attributes} as $function$${declarations(s)}
  current_store text;
begin
${checkTimes('p_keep_ms')}
${checkRange(['p_count'], 1, 2 ** 31 - 1)}
${begin(s)}
  kind := 'done';
  if l.setter = p_setter then
    null;
  elsif l.generation <> p_named or ${isSet} and not ${isOpen} then
    kind := 'other';
  else
    -- The tables may have been emptied since the client connected.
    insert into ${s}.store default values on conflict do nothing;
    current_store := ${incarnation(s)};
    -- A standby that was promoted may lack the last of what was set.
    if not ${isSet} or l.incarnation <> current_store then
      l.first_generation := greatest(now_us, p_named + 1);
    end if;
    l.generation := greatest(now_us, p_named + 1);
    l.previous := p_named;
    l.remaining := p_count;
    l.count := p_count;
    l.keep_ms := p_keep_ms;
    l.setter := p_setter;
    l.incarnation := current_store;
    l.until_us := now_us + 1000 * p_keep_ms;
    delete from ${s}.latch_party where name = p_name;
  end if;
  state := ${stateText};
${saveLatch(s)}
end
$function$;`

/** `latch_count_down`: counts p_party down, once; the last one opens the latch. Safe to run twice. */
const countDown = (s: string): string => `
create function ${s}.latch_count_down(
  p_name text, p_named bigint, p_party text, out kind text, out state text
) language plpgsql ${attributes} as $function$${declarations(s)}
begin
${begin(s)}
  kind := 'done';
  if l.generation <> p_named or not ${isSet} then
    kind := 'other';
  else
    l.until_us := greatest(l.until_us, now_us + 1000 * l.keep_ms);
    if not ${isOpen} then
      insert into ${s}.latch_party (name, party) values (p_name, p_party) on conflict do nothing;
      if found then
        l.remaining := l.remaining - 1;
      end if;
    end if;
    if l.remaining = 0 and not ${isOpen} then
      l.opened := l.generation;
      delete from ${s}.latch_party where name = p_name;
${tell(s, 'open')}
    end if;
  end if;
  state := ${stateText};
${saveLatch(s)}
end
$function$;`

/** `latch_delete`: deletes the generation, and remembers it for p_tombstone_ms. Safe to run twice. */
const remove = (s: string): string => `
create function ${s}.latch_delete(
  p_name text, p_named bigint, p_tombstone_ms bigint, out kind text, out state text
) language plpgsql ${attributes} as $function$${declarations(s)}
begin
${checkTimes('p_tombstone_ms')}
${begin(s)}
  kind := 'done';
  if l.generation <> p_named then
    kind := 'other';
  elsif ${isSet} then
    l.first_generation := p_named + 1;
    l.remaining := 0;
    l.until_us := now_us + 1000 * p_tombstone_ms;
    delete from ${s}.latch_party where name = p_name;
${tell(s, 'gone')}
  end if;
  state := ${stateText};
${saveLatch(s)}
end
$function$;`

export const latchChanges = (s: string): string => set(s) + countDown(s) + remove(s)
