import { nearestName } from './mistakes.js'

const names = [
  'waitMs',
  'leaseMs',
  'maxHoldMs',
  'signal',
  'watchdogTimeoutMs',
  'maxWaiters',
  'label',
  'redis',
]

it.each([
  ['wait', 'waitMs'],
  ['waitMS', 'waitMs'],
  ['waitSec', 'waitMs'],
  ['leaseTime', 'leaseMs'],
  ['maxHold', 'maxHoldMs'],
  ['max', 'maxHoldMs'],
  ['watchdogTimeout', 'watchdogTimeoutMs'],
  ['singal', 'signal'],
  ['lable', 'label'],
  ['maxWaiter', 'maxWaiters'],
  ['redisUrl', 'redis'],
])('%s probably means %s', (given, meant) => expect(nearestName(given, names)).toBe(meant))

it.each(['ttl', 'timeout', 'x'.repeat(10_000), '€'])('%s means none of them', (given) =>
  expect(nearestName(given, names)).toBeUndefined(),
)
