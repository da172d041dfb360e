import { lockOrMakeRow, readClock } from '../blocks.js'

// Text that the functions of latches share.

export const declarations = (s: string): string => `
declare
  l ${s}.latch;
  was ${s}.latch;
  now_us bigint;`

/** Whether a count is set, and whether all have counted down. Both read l. */
export const isSet = '(l.generation >= l.first_generation)'
export const isOpen = '(l.generation >= l.first_generation and l.opened = l.generation)'

/** Locks the row of the latch p_name, and ends what is due. Sets l, was and now_us. */
export const begin = (s: string): string => `
${lockOrMakeRow(s, { object: 'latch' })}
  was := l;
  ${readClock}
  if l.generation > 0 and l.until_us <= now_us then
    delete from ${s}.latch_party where name = p_name;
    l.generation := 0;
    l.first_generation := 1;
    l.opened := 0;
    l.remaining := 0;
    l.previous := 0;
    l.count := 0;
    l.setter := '';
  end if;`

/** Notifies each client that waits, and forgets it: <what> <generation> <name>. Reads l. */
export const tell = (s: string, what: 'open' | 'gone'): string => `
      perform pg_notify(inbox, concat_ws(' ', '${what}', l.generation, l.name))
        from ${s}.latch_waiter where name = p_name;
      delete from ${s}.latch_waiter where name = p_name;`

/** Writes the row back. Reads l and was. */
export const saveLatch = (s: string): string => `
  if l is distinct from was then
    update ${s}.latch set generation = l.generation, first_generation = l.first_generation, opened = l.opened,
      remaining = l.remaining, previous = l.previous, count = l.count, keep_ms = l.keep_ms, setter = l.setter,
      incarnation = l.incarnation, until_us = l.until_us
    where name = l.name;
  end if;`

/** What the latch is like, as five numbers. Reads l. */
export const stateText = `concat_ws(' ', l.generation, l.first_generation, l.opened, l.remaining, l.previous)`
