import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  lockAcquire: '0c81843a6bd6bf98d32b50758c5584a5bd5345fd',
  lockForce: '1376dc5c3cba9c839959d139150a6d35c22adad3',
  lockInspect: 'e13494cd584705bfc2e820b598359188c49db83c',
  lockRefresh: '3bbe2c2794412049d5149c2f21b8c58bd9e22867',
  lockRelease: '072dd5d2cd7c635a56f7d9070b99d6058e87c850',
  lockRenew: '336d8326296a194d76ad1d884ff7d8e8d940e808',
  lockSetCount: '39935a138da6f43934f329c744d1bd2d6f45420b',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLockAcquire: 'ad2b61525e58eeae245ae8dbdf0d536e726c5669',
  redissonLockForce: '24b2fd200eda4e75cca9b026670c7294ec9e4736',
  redissonLockRelease: '2173f27e38324d69236295b1cf135ee5dc16fea1',
}

const hashes = Object.values(scripts).map(({ name, lua }) => [
  name,
  createHash('sha1').update(lua).digest('hex'),
])

it('each script has the text that was reviewed', () => {
  expect(Object.fromEntries(hashes)).toEqual(pinned)
})

it('each script carries the hash of its text', () => {
  expect(Object.values(scripts).map(({ name, sha1 }) => [name, sha1])).toEqual(hashes)
})
