import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  lockAcquire: '9ab485298f202824ae024bc3efb8f43aaaaae865',
  lockForce: '5047291373d9e7af89bb769baa23271f8756d0fc',
  lockInspect: '18b49c29cdfc6b598fd3d5949e7afef909f8bbb1',
  lockRefresh: 'bdebd29d8acf184e5e9a0ce705c5e9d599af459c',
  lockRelease: '37dff6386cd4d796ad22fa0058d3691455c2e8c7',
  lockRenew: 'cf3dbceab2ddd124d57f15a8ddb20fda22a5dafd',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLockAcquire: '0d98df1eea2fb931869be0c16263179578dba7d1',
  redissonLockForce: 'f5e536f16c4fd0ee853dccb5c4cc67dc639fdc3a',
  redissonLockRelease: 'f71b04a90844d5b83604d788bd4037b9c488c4a8',
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
