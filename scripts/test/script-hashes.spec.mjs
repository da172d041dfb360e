import { createHash } from 'node:crypto'
import { scripts } from '../../packages/core/src/redis/scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientPermissions: '2fcc5d5b3c15dddcca5deeb1f3cfc2da8846746c',
  clientRaiseFence: '1aa5a051c53ee7344c67fec1f790cce550a6dd52',
  clientRegister: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
  clientTell: '2680079e54339f1d8ae092a7329696a71ffcaa1c',
  latchCountDown: '6bf25efd770b94e89c08073390b6d80d7e572020',
  latchDelete: '121ecc42c81252acd92856a25b154c17306227f1',
  latchInspect: '471d6012d53638585e6f38648de379bb0908e573',
  latchSet: '288dec34bc1cc3265677cf07c88c0c9e8a76e5fc',
  latchWait: '620eb9bd4f17be9a986f653a348c29768f381e4c',
  lockAcquire: '78102096389f1d38577995cc3280a978494fb34d',
  lockForce: '6642e266b1aad198fbab4e2473933d72ffc4011c',
  lockInspect: 'b20f755429b0a375b3af1648e3beb97a3d18eb2b',
  lockRefresh: '3bbe2c2794412049d5149c2f21b8c58bd9e22867',
  lockRelease: '6c81343f1ec545c0cefef8a6c8885738e4464e03',
  lockRenew: '336d8326296a194d76ad1d884ff7d8e8d940e808',
  lockSetCount: '1f3a67439a28042cba5444435f611094478cafa2',
  multiAcquire: '7d76a794704c156e958c6b00e14c285d8929f2cd',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLatchCountDown: '66fdf5cf81cb9c1fcc30af68718752f2667e4cb9',
  redissonLatchDelete: 'ccb19270d098d8328b19d5ea24f987e7605e1f5d',
  redissonLatchInspect: '2f32913133899d2128838699a41150f75612e104',
  redissonLatchSet: '6cdcd4e8b7be96363abd880e934d17cbec6b6327',
  redissonLatchWait: '5962998f783a734bbd1aae3598613820cb6599f3',
  redissonLockAcquire: '26a62c0d94e9dc2898c10294a33535ec76af9f48',
  redissonLockForce: 'c4818065b068c0d90aa02833cf6df87892452052',
  redissonLockRelease: 'a7409f2c3f07a3b9fb625bba2b9e73dc4d4dff5d',
  redissonPermitsAcquire: '6d7f636b03c8e56b188e3847e312d5ec26081c95',
  redissonPermitsForce: '47e319c67ad18bca2edf0d5c984404a653063872',
  redissonPermitsInspect: '75f2ce94c7702a80857525b076f947baabc2db01',
  redissonPermitsRefresh: 'af8505ebd028b1269902f8ea512cfecd48879e21',
  redissonPermitsRelease: 'aefd7080176e22cffb40ad172e5bf6dcd536ee2f',
  redissonPermitsRenew: '546911c9c9669d28fceb8a9413ae0ee7fda74995',
  redissonPermitsResize: 'd49ae6445e5a76261a3fb05e79bd0e78e5103512',
  redissonReadWriteAcquire: '5add8dd6b62e010f94f5fef1a9afa507fc5e053b',
  redissonReadWriteForce: 'a51a21a8ea40dcaf5441fe0a3c6ddfac5f31e579',
  redissonReadWriteInspect: '31207c0e3265bdc2a2c051da968d9044eaf67355',
  redissonReadWriteRefresh: 'd4c1822d4b770f7091b93d9230b48d621ecdbf36',
  redissonReadWriteRelease: '6c1f053559c2b05a1da271a9fe57b25210730476',
  redissonReadWriteRenew: '04383e3e797e5c4f830b0b547eaffd4895e9d809',
  redissonSemaphoreAcquire: '23fe125ba7eee427e94093885f5044a945121fb3',
  redissonSemaphoreForce: '1932cbc893b342f526c5e3cf1c92bdbf4cb51c8a',
  redissonSemaphoreInspect: '2e876fef98962b096c5c389da4559bea0df87dd5',
  redissonSemaphoreRefresh: '19a432fa8b31348794ed774d6b0189ee77950ca3',
  redissonSemaphoreRelease: '72c74c148f7cc78013ac0b7f9afa7c708ac2523b',
  redissonSemaphoreRenew: '57fbb6474c302ccd48c61834e15c1d1b77feacb5',
  sharedAcquire: 'ea142425fb8d1cc62176c6234f41509878437ece',
  sharedForce: '55888b3b1a2370202e3db6dae4e2153d4d423316',
  sharedInspect: '094d6bedf5c66a60891217bb07e3aac2c328458b',
  sharedRefresh: '5efa19f681f2d10b77b72da3abdecf6da7a2d3ea',
  sharedRelease: '2be914206d18c34ede9acf202b5bcbc2ee7003b6',
  sharedRenew: 'a0570703df1c4cec3bf8829ebf155985e2203fee',
  sharedResize: '25a99e84f32a265451a75fa60bdebc25c546aa64',
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
