import type { BusyReply } from '../engine/requests.js'
import { momentNow } from '../time/time.js'
import { isChanged, lastReplyOf } from './acquisition.js'

const busy: BusyReply = {
  kind: 'busy',
  ttlMs: 30_000,
  serverUs: 1_000_000_000,
  holder: 'java:1',
  position: 1,
}
const replyOf = (more: Partial<BusyReply>) => lastReplyOf({ ...busy, ...more }, momentNow(), 0, undefined)

it.each<[string, boolean, Partial<BusyReply>]>([
  ['another holder', true, { holder: 'java:2' }],
  ['a lock that is free, and set aside', true, { holder: '', ttlMs: 100 }],
  ['the same holder with a new lease', true, { ttlMs: 30_000, serverUs: 1_000_005_000 }],
  ['the same lease, a second later', false, { ttlMs: 29_000, serverUs: 1_001_000_000 }],
  ['the same lease, rounded otherwise', false, { ttlMs: 29_000, serverUs: 1_001_001_999 }],
  ['another position alone', false, { position: 3 }],
  ['a store that does not give its time', false, { ttlMs: 1, serverUs: undefined }],
])('%s is a change: %s', (_, expected, more) => expect(isChanged(replyOf({}), replyOf(more))).toBe(expected))
