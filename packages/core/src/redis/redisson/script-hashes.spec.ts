import { createHash } from 'node:crypto'
import { scripts as ofRedisson } from './generated.js'
import { scripts as native } from '../scripts/generated.js'

/**
 * Clients of different versions share locks, and Redis knows a script by the hash of its text. Moving code or rewording
 * a comment must leave these alone; a change of a script changes its line on purpose.
 */
const pinned = {
  clientIdentify: '7cb745dbdcde9eec419bfe50450da411351bf83b',
  clientPermissions: 'afde5395c9925051a6a32c44dd262bf547ac746f',
  clientRaiseFence: '3cdbd31176381f0d1ce992411e9dc3035718d6cf',
  clientRegister: '1490fd536d38b6895f34e69fe54276192547f7c6',
  clientTell: '2680079e54339f1d8ae092a7329696a71ffcaa1c',
  latchCountDown: '6bf25efd770b94e89c08073390b6d80d7e572020',
  latchDelete: '121ecc42c81252acd92856a25b154c17306227f1',
  latchInspect: '471d6012d53638585e6f38648de379bb0908e573',
  latchSet: '288dec34bc1cc3265677cf07c88c0c9e8a76e5fc',
  latchWait: '620eb9bd4f17be9a986f653a348c29768f381e4c',
  lockAcquire: 'f9919201d08fe7265f4c88eb2686fef69298a9db',
  lockForce: '47eb00203f88017882c8f75ab685285e43846f50',
  lockInspect: 'b576f50477cbef1c72764bb4e5137ea29fcdf526',
  lockRefresh: '188d1b284ec8a76ebd861453ee9bf7b5c760c0fc',
  lockRelease: 'b3f88b0ca0bbecd10da5c6a785969f9be848d41e',
  lockRenew: '336d8326296a194d76ad1d884ff7d8e8d940e808',
  lockSetCount: '049bb6435ec2fd35213719c6c4c6c35307644111',
  lockTakeOver: 'a0abcc53ef8929f5e2fe5e8a19583110ff950e77',
  multiAcquire: 'e84826ccc7124f6ca7d645073aa47a2d0b54bb32',
  redissonIdentifySharding: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
  redissonLatchCountDown: '66fdf5cf81cb9c1fcc30af68718752f2667e4cb9',
  redissonLatchDelete: 'ccb19270d098d8328b19d5ea24f987e7605e1f5d',
  redissonLatchInspect: '2f32913133899d2128838699a41150f75612e104',
  redissonLatchSet: '6cdcd4e8b7be96363abd880e934d17cbec6b6327',
  redissonLatchWait: '5962998f783a734bbd1aae3598613820cb6599f3',
  redissonLockAcquire: '930942575f3fdb6e6b7b81b6680e16c9bbcf8f66',
  redissonLockForce: 'c2b65ef32d7bb3fe58a6a8b2d34e6dd41bcd153f',
  redissonLockRelease: 'd96a11d2a06e666cf049d935c76c293725ec6cf9',
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
  sharedAcquire: 'a46c1677bc8b6b80e0deecd6ddeb0f14204d9419',
  sharedForce: '27cf6f11f7f00738b8efa23d13145566541e5a44',
  sharedInspect: '8e3c75ab145b793942e421af4e1027c538600665',
  sharedRefresh: '7d3d9005d30c86223bd4e22100d109e7a6b18e3b',
  sharedRelease: 'c34652c173f50543dcf2d2bbf7d7fcde5d794631',
  sharedRenew: '348f4abbba5445c8af1bd07db8d8c126bc7eb9be',
  sharedResize: '02f5a10741b8dc8b07a9cf2692f8bb91da46affd',
}

const scripts = [...Object.values(native), ...Object.values(ofRedisson)]
const hashes = scripts.map(({ name, lua }) => [name, createHash('sha1').update(lua).digest('hex')])

it('each script has the text that was reviewed', () => expect(Object.fromEntries(hashes)).toEqual(pinned))

it('each script carries the hash of its text', () =>
  expect(scripts.map(({ name, sha1 }) => [name, sha1])).toEqual(hashes))
