import { canHandOn, settleQueue, type KindTables } from '../blocks.js'

// Text that the functions of read/write locks and semaphores share, besides that of all objects.

export const sharedTables: KindTables = { object: 'shared', place: 'shared_place', hold: 'shared_hold' }

/**
 * Ends what is due: holds, the size, and the queue. Holds are looked at only when one may have ended. Reads and sets l. Reads
 * now_us.
 */
export const settleShared = (s: string): string => `
  if l.used > 0 and l.ends_from_us <= now_us then
    delete from ${s}.shared_hold where name = l.name and until_us <= now_us;
    select coalesce(sum(permits), 0), coalesce(min(until_us), 0) into l.used, l.ends_from_us
      from ${s}.shared_hold where name = l.name;
  end if;
  if l.size_until_us <= now_us then
    l.version := 0;
  end if;
${settleQueue(s, sharedTables)}`

/** The most permits that an object has: a writer takes all of a read/write lock. */
export const mostPermits = 1_000_000_000

/** How many permits there are in all: what the object was resized to beats the size that a client knows. Reads l. */
export const room = (ownSize: string): string => `(case when l.version > 0 then l.size else ${ownSize} end)`

/** Lets in the waiters that fit. Reads now_us and p_floor. Reads and sets l. */
export const letIn = (s: string): string => `
  if l.waiting > 0 and ${canHandOn} then
    admission := ${s}.let_in(l, now_us, p_floor, null);
    l := admission.object;
  end if;`

/** Writes the row back. Reads l and was, the row as it was read. */
export const saveShared = (s: string): string => `
  if l is distinct from was then
    update ${s}.shared set token = l.token, fence_until_us = l.fence_until_us, last_ticket = l.last_ticket,
      waiting = l.waiting, queue_until_us = l.queue_until_us, used = l.used, ends_from_us = l.ends_from_us,
      size = l.size, version = l.version, size_id = l.size_id, size_until_us = l.size_until_us
    where name = l.name;
  end if;`
