import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  lockAcquire: '73e28491aa4d9c5c7a649e4a709028373403deb5',
  lockForce: '3369f9cb1734ca92b7c762c2a45338c6074839f5',
  lockInspect: '05c665789234dcd2f20515baf13f5f5ee5c736ae',
  lockRefresh: 'fb88c995f0da13a91207ac4433c3eec9bfd29fff',
  lockRelease: '43dd9684c4b95c29cee778909eee70597a33c83c',
  lockRenew: '5203e40445b3a1385c3424c74589ea9f6167ec4e',
  redissonAskSharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLockAcquire: 'ab2907a36fd202439702b73af9ee747f5bf8bbfb',
  redissonLockForce: '9b9653cd37c2a441c34b8c1cd4e25e11a10ac8da',
  redissonLockRelease: '7885b1f65be4c9b9ce56d4743340b36a9f1218d6',
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
