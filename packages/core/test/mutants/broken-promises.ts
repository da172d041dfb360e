import {
  pair,
  pairWithFault,
  three,
  threeWithFault,
  trio,
  two,
  twoWithFault,
  type Bounds,
} from '@holdfast/model'

/** A mistake, and the promise that it breaks first. The exploration of these bounds finds it. */
type Broken = readonly [promise: string, mistake: string, bounds: Bounds]

/** One of the made mistakes for each promise, as far as one breaks it. */
export const brokenPromises: readonly Broken[] = [
  ['count', `lua/lock/set-count.lua: drop "replace('HSET', lockKey, owner, count)"`, twoWithFault],
  ['exclusion', `lua/lock/acquire.lua: negate "call('EXISTS', lockKey, waitersKey) > 0"`, two],
  ['token', `lua/includes/next-token.lua: negate "#lastToken == #token and lastToken >= token"`, two],
  ['order', `lua/includes/abandon.lua: drop "call('LREM', queueKey, 1, owner)"`, two],
  ['leftover', `lua/includes/abandon.lua: negate "tombstoneMs"`, twoWithFault],
  ['handOff', `lua/lock/release.lua: negate "mine" (2)`, two],
  [
    'refusal',
    `lua/includes/refuse-abandoned.lua: negate "1000 * goneUntilMs > tonumber(nowText)"`,
    twoWithFault,
  ],
  ['ttl', `lua/includes/keep-queue.lua: negate "call('PTTL', queueKey) < 1.25 * entryTtlMs"`, three],
  ['expiry', `lua/lock/refresh.lua: swap "state == 'alive'"`, twoWithFault],
  ['order', `lua/lock/includes/grant.lua: drop "call('LPUSH', queueKey, skipped[i])"`, threeWithFault],
  ['exclusion', `lua/shared/includes/grant.lua: negate "used + permits > room"`, pair],
  ['sum', `lua/shared/includes/keep-holds.lua: drop "call('PEXPIREAT', endsKey, untilMs)"`, pair],
  [
    'count',
    `lua/shared/release.lua: drop "replace('HSET', mainKey, 'used', string.format('%d', used), owner, left .. ' ' .. heldToken)"`,
    pair,
  ],
  ['token', `lua/shared/renew.lua: negate "tonumber(knownEndMs) > nowMs"`, pair],
  ['order', `lua/shared/includes/grant.lua: drop "break"`, trio],
  ['handOff', `lua/shared/includes/grant.lua: swap "inboxIsChecked == '1'"`, pairWithFault],
  ['leftover', `lua/shared/includes/grant.lua: drop "call('LPOP', queueKey)"`, pair],
  ['refusal', `lua/shared/acquire.lua: swap "tonumber(permits) < tonumber(want)"`, pairWithFault],
  ['ttl', `lua/shared/refresh.lua: drop "outlook = { ttlMs = -2, blockedTtlMs = -2 }"`, pairWithFault],
]
