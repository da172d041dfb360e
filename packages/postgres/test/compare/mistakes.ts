/** Mistakes that the functions might have, as replacements in their text. Each must be found by the comparison. */
export const mistakes: readonly (readonly [what: string, right: RegExp, wrong: string])[] = [
  [
    're-entry shortens the lease',
    /l\.until_us := greatest\(l\.until_us, (now_us \+ 1000 \* p_lease_ms)\)/,
    'l.until_us := $1',
  ],
  ['a renewal shortens the lease', /and l\.until_us < now_us \+ 1000 \* r\.lease_ms/, ''],
  [
    'an expired hold is renewed',
    /where l\.name = r\.name and l\.owner = r\.owner and l\.until_us > now_us and/,
    'where l.name = r.name and l.owner = r.owner and',
  ],
  ['a tombstone refuses nothing', /and owner = p_owner and until_us > now_us\)/, 'and false)'],
  ['a tombstone never ends', /and owner = p_owner and until_us > now_us\)/, 'and owner = p_owner)'],
  ['a stale waiter is granted the lock', /if waiter\.alive_until_us > now_us then/, 'if true then'],
  [
    'a waiter that nobody can notify is granted the lock',
    /continue when not exists \(select from pg_listening_channels\(\) c where c = waiter\.inbox\);/,
    '',
  ],
  [
    'the newest waiter is granted the lock first',
    /order by ticket limit 1;/,
    'order by ticket desc limit 1;',
  ],
  [
    'a request on a free lock goes past those who wait',
    /if l\.owner is null and l\.waiting > 0 then\s+l := "holdfast"\.pass_on_1\(l, now_us, p_floor, p_owner\);\s+end if;/,
    '',
  ],
  ['a release hands nothing on', /l := "holdfast"\.pass_on_1\(l, now_us, p_floor, null\);/, ''],
  ['a token may be one that the client has seen', /greatest\(now_us, p_floor \+ 1,/g, 'greatest(now_us,'],
  [
    'a repeated request gets a new place',
    /if own_ticket is null then/,
    'if true then delete from "holdfast".place where ticket = own_ticket;',
  ],
  [
    'a release sets the count although another owner holds',
    /is_mine := l\.owner is not distinct from p_owner;/,
    'is_mine := l.owner is not null;',
  ],
  [
    'a queue outlives all its entries',
    /if l\.waiting > 0 and l\.queue_until_us <= now_us then/,
    'if false then',
  ],
  [
    'a refresh revives an entry that was stale',
    /and p\.alive_until_us > now_us\s+and l\.name = p\.name/,
    'and l.name = p.name',
  ],
]
