import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  lockAcquire: '3f76cb958709cf22855b1671aca6a76df50b1e75',
  lockForce: '5720f88997ef618d5434604117cf9fec9bee15e5',
  lockInspect: 'e13494cd584705bfc2e820b598359188c49db83c',
  lockRefresh: '3bbe2c2794412049d5149c2f21b8c58bd9e22867',
  lockRelease: '9cf67008d4188878b8d29d6c7749f9a6054a5e89',
  lockRenew: '336d8326296a194d76ad1d884ff7d8e8d940e808',
  lockSetCount: '39935a138da6f43934f329c744d1bd2d6f45420b',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLockAcquire: '28c914e7a5be697385e1da1f943f932c676f02b0',
  redissonLockForce: '5284333da5101753afe0d29dc5cc167cd5783cca',
  redissonLockRelease: 'af91b6e92e2d54b9cb286a69d82b69fbd2119350',
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
