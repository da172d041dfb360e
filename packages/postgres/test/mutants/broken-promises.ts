import {
  pair,
  pairWithFault,
  resized,
  three,
  threeWithFault,
  trio,
  two,
  twoWithFault,
  type Bounds,
} from '@holdfast/model'

/** A mistake, and the promise that it breaks first. The exploration of these bounds finds it. */
type Broken = readonly [promise: string, mistake: string, bounds: Bounds]

/** Some of the made mistakes in the functions of locks: at least one for each promise that one breaks. */
export const brokenLocks: readonly Broken[] = [
  ['token', `acquire_2: negate "l.owner is null"`, two],
  ['count', `release_1: drop "l.hold_count := p_count;"`, two],
  ['count', `acquire_2: negate "p_count > 1"`, twoWithFault],
  ['expiry', `acquire_2: negate "l.until_us <= now_us"`, two],
  ['order', `release_1: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, two],
  ['ttl', `acquire_2: drop "l.queue_until_us := now_us + 2000 * p_entry_ms;"`, two],
  ['refusal', `acquire_2: negate "p_count > 1" (2)`, two],
  ['leftover', `acquire_2: negate "l.owner = p_owner"`, two],
  ['order', `pass_on_1: negate "p_before is not null"`, threeWithFault],
  ['order', `pass_on_1: negate "waiter.alive_until_us > now_us"`, two],
  ['counter', `pass_on_1: drop "l.waiting := l.waiting - 1;"`, two],
  ['handOff', `release_1: drop "l := "model".pass_on_1(l, now_us, p_floor, null);"`, two],
  ['handOff', `force_1: drop "l := "model".pass_on_1(l, now_us, p_floor, null);"`, { ...two, forces: 1 }],
  ['handOff', `acquire_2: negate "p_entry_ms > 0"`, twoWithFault],
  ['ttl', `pass_on_1: drop "l.until_us := now_us + 1000 * waiter.grant_lease_ms;"`, twoWithFault],
  ['count', `acquire_2: drop "l.hold_count := p_count;"`, two],
  ['leftover', `acquire_2: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, two],
  ['ttl', `acquire_2: swap ":= greatest("`, two],
  [
    'refusal',
    `acquire_2: negate "exists (select from "model".tombstone where name = p_name and owner = p_owner and until_us > now_us)"`,
    twoWithFault,
  ],
  [
    'leftover',
    `release_1: drop "insert into "model".tombstone (name, owner, until_us) values (p_name, p_owner, now_us + 1000 * p_tom…"`,
    twoWithFault,
  ],
  ['count', `acquire_2: negate "l.owner is null and l.waiting > 0"`, threeWithFault],
  [
    'leftover',
    `acquire_2: drop "select count(*) into queue_position from "model".place where name = p_name and ticket <= own_ticket;"`,
    threeWithFault,
  ],
  ['counter', `acquire_2: drop "l.waiting := l.waiting - 1;"`, threeWithFault],
  ['counter', `release_1: drop "l.waiting := l.waiting - 1;"`, three],
  ['leftover', `release_1: negate "l.waiting > 0"`, two],
  [
    'counter',
    `acquire_2: drop "delete from "model".place where name = p_name and owner = p_owner;"`,
    twoWithFault,
  ],
  ['ttl', `acquire_2: negate "l.waiting = 0 or l.queue_until_us - now_us < 1250 * p_entry_ms"`, three],
  [
    'handOff',
    `acquire_2: drop "insert into "model".place (name, ticket, owner, alive_until_us, grant_lease_ms, inbox, inbox_key, pr…"`,
    two,
  ],
  [
    'handOff',
    `pass_on_1: drop "perform "model".note(waiter.inbox, concat_ws(' ', 'granted', l.owner, l.token, now_us, waiter.grant_…"`,
    two,
  ],
  ['count', `release_1: drop "is_mine := l.owner is not distinct from p_owner;"`, two],
  [
    'handOff',
    `release_1: negate "l.owner is null and l.waiting > 0 and not (l.fence_until_us > now_us and l.token > now_us + 86400000…"`,
    two,
  ],
  ['handOff', `pass_on_1: negate "pg_try_advisory_xact_lock_shared(waiter.inbox_key)"`, two],
  ['handOff', `pass_on_1: negate "waiter.inbox_key is null"`, twoWithFault],
  [
    'handOff',
    `pass_on_1: drop "continue when not exists (select from pg_listening_channels() c where c = waiter.inbox);"`,
    threeWithFault,
  ],
  [
    'handOff',
    `pass_on_1: drop "select * into waiter from "model".place where name = l.name and ticket > last_ticket and (end_ticket…"`,
    three,
  ],
  [
    'token',
    `pass_on_1: drop "l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0…"`,
    two,
  ],
  ['token', `pass_on_1: negate "l.fence_until_us > now_us"`, two],
  ['count', `force_1: drop "is_mine := l.owner is not distinct from p_owner;"`, { ...two, forces: 1 }],
  [
    'handOff',
    `force_1: negate "l.owner is null and l.waiting > 0 and not (l.fence_until_us > now_us and l.token > now_us + 86400000…"`,
    { ...two, forces: 1 },
  ],
  [
    'ttl',
    `renew_2: drop "update "model".lock l set until_us = now_us + 1000 * r.lease_ms from ( select name, owner, max(lease…"`,
    { ...two, hasUpkeep: true },
  ],
  [
    'handOff',
    `refresh_2: drop "with kept as ( update "model".place p set alive_until_us = now_us + 1000 * r.entry_ms, inbox = p_inb…"`,
    twoWithFault,
  ],
  ['count', `sweep_2: swap "now_us and fence_until_us"`, { ...two, hasUpkeep: true }],
  ['token', `sweep_2: swap "now_us and ("`, { ...twoWithFault, hasUpkeep: true }],
  [
    'counter',
    `sweep_2: drop "delete from "model".place where name = any (names);"`,
    { ...two, hasUpkeep: true },
  ],
]

/** The same of read/write locks and semaphores. */
export const brokenShared: readonly Broken[] = [
  ['exclusion', `let_in_1: drop "is_closed := l.used + waiter.want > room;"`, pair],
  ['exclusion', `let_in_1: negate "l.version > 0"`, resized],
  ['sum', `let_in_1: drop "l.used := l.used + waiter.want;"`, pair],
  ['sum', `release_shared_1: drop "l.used := l.used - permits_held;"`, pair],
  [
    'count',
    `release_shared_1: negate "permits_held > p_left"`,
    { ...pair, shared: { size: 3, wants: [3, 1] } },
  ],
  ['token', `acquire_shared_2: negate "l.used > 0 and l.ends_from_us <= now_us"`, pair],
  ['ttl', `acquire_shared_2: drop "l.queue_until_us := now_us + 2000 * p_entry_ms;"`, pair],
  ['refusal', `acquire_shared_2: negate "mine.permits < p_want"`, pairWithFault],
  ['order', `release_shared_1: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, pair],
  ['repetition', `let_in_1: negate "waiter.alive_until_us <= now_us"`, pairWithFault],
  ['handOff', `let_in_1: negate "is_closed" (2)`, trio],
  ['expiry', `acquire_shared_2: negate "l.size_until_us <= now_us"`, pair],
  ['counter', `let_in_1: drop "l.waiting := l.waiting - cardinality(dropped);"`, pair],
  [
    'leftover',
    `release_shared_1: drop "delete from "model".shared_place where name = p_name and owner = p_owner;"`,
    pair,
  ],
  [
    'sum',
    `release_shared_1: drop "l.used := l.used - permits_held + p_left;"`,
    { ...pair, faults: 1, shared: { size: 3, wants: [3, 1] } },
  ],
  [
    'ttl',
    `renew_shared_2: drop "update "model".shared_hold l set until_us = now_us + 1000 * r.lease_ms from ( select name, owner, ma…"`,
    pairWithFault,
  ],
  ['ttl', `acquire_shared_2: swap "p_owner and until_us"`, pairWithFault],
  [
    'refusal',
    `acquire_shared_2: negate "exists (select from "model".tombstone where name = p_name and owner = p_owner and until_us > now_us)"`,
    pairWithFault,
  ],
  ['exclusion', `let_in_1: drop "exit;"`, trio],
  ['handOff', `let_in_1: negate "not is_requester"`, pairWithFault],
  ['handOff', `let_in_1: negate "waiter.want > room"`, resized],
  [
    'handOff',
    `let_in_1: drop "perform "model".note(inbox, concat_ws(' ', 'entered', l.token, now_us, string_agg(concat(owner, ':',…"`,
    pair,
  ],
  ['sum', `release_shared_1: drop "admission := "model".let_in_1(l, now_us, p_floor, null);"`, pair],
  ['token', `resize_1: drop "l := admission.object;"`, resized],
  ['leftover', `acquire_shared_2: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, pair],
  [
    'sum',
    `let_in_1: drop "l.ends_from_us := least(case when used_before > 0 then l.ends_from_us end, now_us + 1000 * shortest_…"`,
    trio,
  ],
  [
    'token',
    `let_in_1: drop "l.token := greatest(now_us, p_floor + 1, case when l.fence_until_us > now_us then l.token + 1 else 0…"`,
    pair,
  ],
  ['ttl', `refresh_shared_2: negate "o.is_open"`, pairWithFault],
  [
    'handOff',
    `refresh_shared_2: drop "with kept as ( update "model".shared_place p set alive_until_us = now_us + 1000 * r.entry_ms, inbox …"`,
    pair,
  ],
  ['token', `sweep_2: swap ") and not"`, { ...pair, hasUpkeep: true }],
  ['token', `sweep_2: swap "now_us and (" (2)`, { ...pairWithFault, hasUpkeep: true }],
]

/** Some that show when the same steps run on the memory engine. */
export const comparedMistakes: readonly string[] = [
  `let_in_1: drop "is_closed := l.used >= room;"`,
  `force_shared_1: drop "l.used := l.used - permits_held;"`,
  `resize_1: negate "l.version <> p_seen"`,
  `resize_1: negate "l.version > 0 and l.size_id = p_id"`,
  `latch_count_down_1: negate "found" (3)`,
  `latch_count_down_1: negate "l.generation <> p_named or not (l.generation >= l.first_generation)"`,
  `latch_set_1: negate "l.setter = p_setter"`,
]
