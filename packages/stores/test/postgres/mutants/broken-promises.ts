import { pair, pairWithFault, trio, two, type Bounds } from '@holdfast/model'

/** A mistake, and the promise that it breaks first. The exploration of these bounds finds it. */
type Broken = readonly [promise: string, mistake: string, bounds: Bounds]

/** One of the made mistakes for each promise, as far as one breaks it: of locks, then of read/write locks and semaphores. */
export const brokenPromises: readonly Broken[] = [
  ['token', `acquire: negate "l.owner is null"`, two],
  ['count', `release: drop "l.hold_count := p_count;"`, two],
  ['expiry', `acquire: negate "l.until_us <= now_us"`, two],
  ['order', `release: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, two],
  ['ttl', `acquire: drop "l.queue_until_us := now_us + 2000 * p_entry_ms;"`, two],
  ['refusal', `acquire: negate "p_count > 1" (2)`, two],
  ['leftover', `acquire: negate "l.owner = p_owner"`, two],
  ['counter', `pass_on: drop "l.waiting := l.waiting - 1;"`, two],
  ['handOff', `release: drop "l := "model".pass_on(l, now_us, p_floor, null);"`, two],
  ['exclusion', `let_in: drop "is_closed := l.used + waiter.want > room;"`, pair],
  ['sum', `let_in: drop "l.used := l.used + waiter.want;"`, pair],
  [
    'count',
    `release_shared: negate "permits_held > p_left"`,
    { ...pair, shared: { size: 3, wants: [3, 1] } },
  ],
  ['token', `acquire_shared: negate "l.used > 0 and l.ends_from_us <= now_us"`, pair],
  ['ttl', `acquire_shared: drop "l.queue_until_us := now_us + 2000 * p_entry_ms;"`, pair],
  ['refusal', `acquire_shared: negate "mine.permits < p_want"`, pairWithFault],
  ['order', `release_shared: negate "l.waiting > 0 and l.queue_until_us <= now_us"`, pair],
  ['repetition', `let_in: negate "waiter.alive_until_us <= now_us"`, pairWithFault],
  ['handOff', `let_in: negate "is_closed" (2)`, trio],
  ['expiry', `acquire_shared: negate "l.size_until_us <= now_us"`, pair],
  ['counter', `let_in: drop "l.waiting := l.waiting - cardinality(dropped);"`, pair],
  [
    'leftover',
    `release_shared: drop "delete from "model".shared_place where name = p_name and owner = p_owner;"`,
    pair,
  ],
]
