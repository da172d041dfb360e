/** Mistakes that the functions of read/write locks and semaphores might have, as replacements in their text. */
export const sharedMistakes: readonly (readonly [what: string, right: RegExp, wrong: string])[] = [
  [
    'a waiter that does not fit stops nobody',
    /exit;\s+end if;\s+if is_requester then/,
    'is_closed := false; continue;\nend if;\nif is_requester then',
  ],
  ['only one waiter enters in a step', /exit when is_closed;\s+end loop/, 'exit;\nend loop'],
  ['one that takes all that is left is not the last', /is_closed := l\.used >= room;/, ''],
  [
    'a request that fits goes past those who wait',
    /and p_requester\.ticket is null and not is_closed/,
    'and p_requester.ticket is null',
  ],
  [
    'a requester that waits is judged after the others',
    /is_requester := waiter\.owner is not distinct from p_requester\.owner;/,
    'is_requester := false;',
  ],
  ['a waiter that wants more than there is holds up the others', /continue when waiter\.want > room;/, ''],
  [
    'a waiter that nobody can notify enters',
    /if not is_requester then\s+continue when waiter\.inbox_key is null;\s+if pg_try_advisory_xact_lock_shared\(waiter\.inbox_key\) then\s+continue when [^;]*;\s+end if;\s+end if;/,
    '',
  ],
  ['a stale waiter enters', /if waiter\.alive_until_us <= now_us then\s+dropped/, 'if false then\ndropped'],
  ['those who enter do not leave the queue', /l\.waiting := l\.waiting - cardinality\(dropped\);/, ''],
  ['a paused object looks at those who wait', /l\.version > 0 and l\.size = 0;/, 'false;'],
  [
    'permits of holds that ended are not free',
    /if l\.used > 0 and l\.ends_from_us <= now_us then/,
    'if false then',
  ],
  [
    'the earliest end is that of the last to enter',
    /l\.ends_from_us := least\(case when used_before > 0 then l\.ends_from_us end, /,
    'l.ends_from_us := least(',
  ],
  [
    'the earliest end is that of the longest lease',
    /now_us \+ 1000 \* shortest_ms\);/,
    'now_us + 1000 * longest_ms);',
  ],
  ['re-entry shortens the lease', /and until_us < now_us \+ 1000 \* p_lease_ms;/, ';'],
  [
    'a renewal shortens the lease',
    /(renew_shared_2[^$]*\$function\$[^$]*?) and l\.until_us < now_us \+ 1000 \* r\.lease_ms/,
    '$1',
  ],
  [
    'an expired hold is renewed',
    /(renew_shared_2[^$]*\$function\$[^$]*?l\.owner = r\.owner) and l\.until_us > now_us/,
    '$1',
  ],
  ['an owner with fewer permits enters again', /if mine\.permits < p_want then/, 'if false then'],
  ['permits are given back twice', /if permits_held > p_left then/, 'if true then'],
  ['what is given back stays counted', /l\.used := l\.used - permits_held;/, ''],
  [
    'a release lets nobody in',
    /(release_shared_1[^$]*\$function\$[^$]*?)admission := "holdfast"\.let_in_1\(l, now_us, p_floor, null\);\s+l := admission\.object;/,
    '$1',
  ],
  [
    'a forced release lets nobody in',
    /(force_shared_1[^$]*\$function\$[^$]*?)admission := "holdfast"\.let_in_1\(l, now_us, p_floor, null\);\s+l := admission\.object;/,
    '$1',
  ],
  [
    'a resize lets nobody in',
    /(resize_1[^$]*\$function\$[^$]*?)admission := "holdfast"\.let_in_1\(l, now_us, p_floor, null\);\s+l := admission\.object;/,
    '$1',
  ],
  [
    'one that gives up stays in the queue',
    /(release_shared_1[^$]*\$function\$[^$]*?)delete from "holdfast"\.shared_place where name = p_name and owner = p_owner;/,
    '$1',
  ],
  [
    'a tombstone refuses nothing',
    /(acquire_shared_2[^$]*\$function\$[^$]*?)and until_us > now_us\)/,
    '$1and false)',
  ],
  ['a late resize undoes a newer one', /elsif l\.version <> p_seen then/, 'elsif false then'],
  [
    'a repeated resize is taken for a late one',
    /if l\.version > 0 and l\.size_id = p_id then/,
    'if false then',
  ],
  ['a size never ends', /if l\.size_until_us <= now_us then/, 'if false then'],
  [
    'a repeated request gets a new position',
    /if requester\.ticket is null then/,
    'if true then delete from "holdfast".shared_place where ticket = requester.ticket;',
  ],
  [
    'a queue outlives all its entries',
    /(acquire_shared_2[^$]*\$function\$[^$]*?)if l\.waiting > 0 and l\.queue_until_us <= now_us then/,
    '$1if false then',
  ],
  [
    'a refresh revives an entry that was stale',
    /(refresh_shared_2[^$]*\$function\$[^$]*?)and p\.alive_until_us > now_us\s+and l\.name = p\.name/,
    '$1and l.name = p.name',
  ],
  ['a refresh does not see that its owner fits', /when o\.is_open then -2/, 'when false then -2'],
  [
    'a waiter waits for itself to be stale',
    /case when o\.blocker <> r\.owner then o\.blocked_until_us end/,
    'o.blocked_until_us',
  ],
  [
    'a token may be one that the client has seen',
    /(let_in_1[^$]*\$function\$[^$]*?)greatest\(now_us, p_floor \+ 1,/,
    '$1greatest(now_us,',
  ],
  [
    'the token of a short lease is forgotten before that of a long one',
    /(let_in_1[^$]*\$function\$[^$]*?)2 \* longest_ms/,
    '$12 * shortest_ms',
  ],
]
