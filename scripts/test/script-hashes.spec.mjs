import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  lockAcquire: 'e261f62a7065ca1d733a2c0ae8497e9379c9dd20',
  lockForce: '6642e266b1aad198fbab4e2473933d72ffc4011c',
  lockInspect: 'b20f755429b0a375b3af1648e3beb97a3d18eb2b',
  lockRefresh: '3bbe2c2794412049d5149c2f21b8c58bd9e22867',
  lockRelease: '6c81343f1ec545c0cefef8a6c8885738e4464e03',
  lockRenew: '336d8326296a194d76ad1d884ff7d8e8d940e808',
  lockSetCount: '1f3a67439a28042cba5444435f611094478cafa2',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLockAcquire: '169f2f40ea816cb40c16680e3d98f1fc9a8aa8e5',
  redissonLockForce: 'c4818065b068c0d90aa02833cf6df87892452052',
  redissonLockRelease: 'a7409f2c3f07a3b9fb625bba2b9e73dc4d4dff5d',
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
