import { heard } from '../../test/support/heard.js'

describe('a notice', () => {
  it('of a grant has owner, proof, token, server time, lease and lock', () =>
    expect(heard('granted c1:7 pr-_0f 1700000000000001 1700000000000002 30000 lock:a')).toEqual([
      [
        'granted',
        'lock:a',
        'c1:7',
        { proof: 'pr-_0f', token: 1_700_000_000_000_001, serverUs: 1_700_000_000_000_002, leaseMs: 30_000 },
      ],
    ]))

  it('of owners that entered together has the token, the server time, each owner with its lease and proof, and the object', () => {
    const [token, serverUs] = [17, 1_700_000_000_000_002]
    expect(heard('entered 17 1700000000000002 c1:7:30000:p,c:1:12:500:q lock:a:rw')).toEqual([
      ['granted', 'lock:a:rw', 'c1:7', { proof: 'p', token, serverUs, leaseMs: 30_000 }],
      ['granted', 'lock:a:rw', 'c:1:12', { proof: 'q', token, serverUs, leaseMs: 500 }],
    ])
  })

  it('of an eviction has the owner', () =>
    expect(heard('revoked c1:7 lock:a')).toEqual([['revoked', 'c1:7']]))

  it('of a turn has owner and lock', () =>
    expect(heard('free c1:7 lock:a')).toEqual([['wake', 'lock:a', 'c1:7']]))

  it('of a latch that opens has its generation, and of one that is gone its name', () => {
    const latch = '{lock:a b}:latch'
    expect(heard(`open 1700000000000001 ${latch}`)).toEqual([['opened', latch, 1_700_000_000_000_001]])
    expect(heard(`gone 1700000000000001 ${latch}`)).toEqual([['missed', latch]])
  })

  it.each(['lock:two words', 'lock:two\nlines', 'lock: ', 'lock:granted x 1 2 3 y'])(
    'may be about a lock with the key %j',
    (lock) => {
      expect(heard(`granted c1:7 p 1 2 3 ${lock}`)).toMatchObject([['granted', lock, 'c1:7', {}]])
      expect(heard(`free c1:7 ${lock}`)).toEqual([['wake', lock, 'c1:7']])
      expect(heard(`entered 1 2 c1:7:3:p ${lock}`)).toMatchObject([['granted', lock, 'c1:7', {}]])
    },
  )

  it.each(['', 'hello', ' two  words ', 'lines\nand "quotes" 🔑', 'granted c1:7 1 2 3 lock:a'])(
    'of another client has its text as it was sent: %j',
    (text) => expect(heard(`told ${text}`)).toEqual([['onMessage', text]]),
  )

  it.each([
    '',
    'hello',
    'told',
    'says hello',
    'granted',
    'granted c1:7 1 2 3 a',
    'granted c1:7 p 1 2 3',
    'granted c1:7 p x 2 3 a',
    'granted c1:7 p 100000000000000000000 2 3 a',
    'granted c1:7 p 1 9007199254740992 3 a',
    'revoked c1:7',
    'entered 1 2 c1:7:3:p',
    'entered 1 x c1:7:3:p a',
    'entered 9007199254740992 2 c1:7:3:p a',
    'entered 1 2 c1:x a',
    'free c1:7',
    'open 1',
    'open x lock:a',
    ' revoked a b',
  ])('is nothing else: %j', (message) => expect(heard(message)).toEqual([]))
})
