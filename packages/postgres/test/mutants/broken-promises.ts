import { pair, pairWithFault, trio, two, type Bounds } from '@holdfast/model'

/** A mistake, and the promise that it breaks first. The exploration of these bounds finds it. */
type Broken = readonly [promise: string, mistake: string, bounds: Bounds]

/** One of the made mistakes for each promise, as far as one breaks it: of locks, then of read/write locks and semaphores. */
export const brokenPromises: readonly Broken[] = [
  ['token', `acquire_2: negate "l.owner is null"`, two],
  ['count', `release_1: drop "l.hold_count := p_count;"`, two],
  ['expiry', `acquire_2: negate "l.until_us <= now_us"`, two],
  ['order', `release_1: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, two],
  ['ttl', `acquire_2: drop "l.queue_until_us := now_us + 2000 * p_entry_ms;"`, two],
  ['refusal', `acquire_2: negate "p_count > 1" (2)`, two],
  ['leftover', `acquire_2: negate "l.owner = p_owner"`, two],
  ['counter', `pass_on_1: drop "l.waiting := l.waiting - 1;"`, two],
  ['handOff', `release_1: drop "l := "model".pass_on_1(l, now_us, p_floor, null);"`, two],
  ['exclusion', `let_in_1: drop "is_closed := l.used + waiter.want > room;"`, pair],
  ['sum', `let_in_1: drop "l.used := l.used + waiter.want;"`, pair],
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
]
