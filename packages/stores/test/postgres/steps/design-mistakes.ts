import {
  handedOver,
  pair,
  pairWithFault,
  three,
  threeWithFault,
  trio,
  two,
  twoWithFault,
  type Bounds,
  type Mistake,
} from '@holdfast/model'

const twoWithUpkeep: Bounds = { ...two, hasUpkeep: true }

/** Mistakes in the functions of locks that no single change of a condition or statement makes. */
export const lockDesignMistakes: readonly Mistake<string>[] = [
  {
    mistake: 'refuses by the tombstone of another owner',
    breaks: 'refusal',
    bounds: twoWithFault,
    only: 'acquire',
    from: `name = p_name and owner = p_owner and until_us > now_us)`,
    to: `name = p_name and until_us > now_us)`,
  },
  {
    mistake: 'gives a repeated request a new ticket',
    breaks: 'order',
    bounds: threeWithFault,
    only: 'acquire',
    from: `select count(*) into queue_position`,
    to: `l.last_ticket := l.last_ticket + 1;
          update "model".place set ticket = l.last_ticket where name = p_name and owner = p_owner returning ticket into own_ticket;
          select count(*) into queue_position`,
  },
  {
    mistake: 'queues without counting',
    breaks: 'counter',
    bounds: three,
    only: 'acquire',
    from: `l.waiting := l.waiting + 1;`,
    to: `l.waiting := greatest(l.waiting, 1);`,
  },
  {
    mistake: 'does not note where the client listens now',
    breaks: 'handOff',
    bounds: twoWithFault,
    only: 'acquire',
    from: `inbox = p_inbox, inbox_key = p_inbox_key, proof`,
    to: `inbox = p_inbox, proof`,
  },
  {
    mistake: 'keeps the proof of an earlier request',
    breaks: 'handOff',
    bounds: twoWithFault,
    only: 'acquire',
    from: `inbox_key = p_inbox_key, proof = p_proof`,
    to: `inbox_key = p_inbox_key`,
  },
  {
    mistake: 'drops waiters that are not subscribed',
    breaks: 'order',
    bounds: twoWithFault,
    only: 'pass_on',
    from: `continue when waiter.inbox_key is null;`,
    to: `if waiter.inbox_key is null or pg_try_advisory_xact_lock_shared(waiter.inbox_key) then
        delete from "model".place where name = l.name and ticket = waiter.ticket;
        l.waiting := l.waiting - 1;
        continue;
      end if;`,
  },
  {
    mistake: 'releases the lock of another owner',
    breaks: 'token',
    bounds: two,
    from: `is_mine := l.owner is not distinct from p_owner`,
    to: `is_mine := l.owner is not null`,
  },
  {
    mistake: 'serves the last in the queue first',
    breaks: 'order',
    bounds: three,
    only: 'pass_on',
    from: `order by ticket limit 1`,
    to: `order by ticket desc limit 1`,
  },
  {
    mistake: 'takes tokens from a clock that went back',
    breaks: 'token',
    bounds: two,
    from: `case when l.fence_until_us > now_us then l.token + 1 else 0 end`,
    to: `0`,
  },
  {
    mistake: 'takes tokens that the client has seen already',
    breaks: 'token',
    bounds: two,
    from: `greatest(now_us, p_floor + 1,`,
    to: `greatest(now_us,`,
  },
  {
    mistake: 'renews the hold of another owner',
    breaks: 'expiry',
    bounds: twoWithUpkeep,
    only: 'renew',
    from: `and l.owner = r.owner`,
    to: ``,
  },
  {
    mistake: 'revives a hold that has expired by a renewal',
    breaks: 'token',
    bounds: twoWithUpkeep,
    only: 'renew',
    from: `and l.until_us > now_us and l.until_us < now_us + 1000 * r.lease_ms`,
    to: `and l.until_us < now_us + 1000 * r.lease_ms`,
  },
  {
    mistake: 'revives a stale entry by a refresh',
    breaks: 'expiry',
    bounds: twoWithFault,
    only: 'refresh',
    from: `and p.alive_until_us > now_us
      and l.name`,
    to: `and l.name`,
  },
  {
    mistake: 'does not note at a refresh where the client listens now',
    breaks: 'handOff',
    bounds: two,
    only: 'refresh',
    from: `inbox = p_inbox, inbox_key = p_inbox_key`,
    to: `inbox = p_inbox`,
  },
  {
    mistake: 'sweeps tombstones that still refuse',
    breaks: 'leftover',
    bounds: { ...twoWithFault, hasUpkeep: true },
    only: 'sweep',
    from: `where until_us <= now_us limit`,
    to: `limit`,
  },
  {
    mistake: 'sweeps queue entries of other locks',
    breaks: 'leftover',
    bounds: twoWithUpkeep,
    only: 'sweep',
    from: `delete from "model".place where name = any (names);`,
    to: `delete from "model".place;`,
  },
  {
    mistake: 'admits an owner only once',
    breaks: 'quiet',
    bounds: two,
    only: 'acquire',
    from: `elsif exists (select from`,
    to: `elsif l.fence_until_us > now_us then
    kind := 'busy';
    ttl_ms := 1;
    queue_position := 0;
    server_us := now_us;
    holder := 'another';
  elsif exists (select from`,
  },
  {
    mistake: 'takes over from whoever holds',
    breaks: 'count',
    bounds: handedOver,
    only: 'take_over',
    from: `elsif l.owner = p_heir then`,
    to: `elsif l.owner is not null then`,
  },
]

/** The same of read/write locks and semaphores. */
export const sharedDesignMistakes: readonly Mistake<string>[] = [
  {
    mistake: 'revives a hold that has ended',
    breaks: 'token',
    bounds: pairWithFault,
    only: 'renew_shared',
    from: `and l.owner = r.owner and l.until_us > now_us`,
    to: `and l.owner = r.owner`,
  },
  {
    mistake: 'lets those behind a blocked waiter in',
    breaks: 'order',
    bounds: trio,
    only: 'let_in',
    from: `waiter.alive_until_us end;\n        exit;`,
    to: `waiter.alive_until_us end;\n        is_closed := false;\n        continue;`,
  },
  {
    mistake: 'gives a token that the client has seen',
    breaks: 'token',
    bounds: pair,
    only: 'let_in',
    from: `greatest(now_us, p_floor + 1,`,
    to: `greatest(now_us,`,
  },
]
