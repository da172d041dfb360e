import { readNotice } from './notices.js'

describe('a notice', () => {
  it('of a grant has owner, proof, token, server time, lease and lock', () =>
    expect(readNotice('granted c1:7 pr-_0f 1700000000000001 1700000000000002 30000 lock:a')).toEqual({
      kind: 'granted',
      owner: 'c1:7',
      proof: 'pr-_0f',
      token: 1_700_000_000_000_001,
      serverUs: 1_700_000_000_000_002,
      leaseMs: 30_000,
      lock: 'lock:a',
    }))

  it('of owners that entered together has the token, the server time, each owner with its lease and proof, and the object', () =>
    expect(readNotice('entered 17 1700000000000002 c1:7:30000:p,c:1:12:500:q lock:a:rw')).toEqual({
      kind: 'entered',
      token: 17,
      serverUs: 1_700_000_000_000_002,
      owners: [
        { owner: 'c1:7', proof: 'p', leaseMs: 30_000 },
        { owner: 'c:1:12', proof: 'q', leaseMs: 500 },
      ],
      main: 'lock:a:rw',
    }))

  it('of an eviction has owner and lock', () =>
    expect(readNotice('revoked c1:7 lock:a')).toEqual({ kind: 'revoked', owner: 'c1:7', lock: 'lock:a' }))

  it('of a turn has owner and lock', () =>
    expect(readNotice('free c1:7 lock:a')).toEqual({ kind: 'free', owner: 'c1:7', lock: 'lock:a' }))

  it.each(['open', 'gone'] as const)('%s has generation and latch', (kind) =>
    expect(readNotice(`${kind} 1700000000000001 {lock:a b}:latch`)).toEqual({
      kind,
      generation: 1_700_000_000_000_001,
      latch: '{lock:a b}:latch',
    }),
  )

  it.each(['lock:two words', 'lock:two\nlines', 'lock: ', 'lock:granted x 1 2 3 y'])(
    'may be about a lock with the key %j',
    (lock) => {
      expect(readNotice(`granted c1:7 p 1 2 3 ${lock}`)).toMatchObject({ lock })
      expect(readNotice(`revoked c1:7 ${lock}`)).toMatchObject({ lock })
      expect(readNotice(`entered 1 2 c1:7:3:p ${lock}`)).toMatchObject({ main: lock })
    },
  )

  it.each(['', 'hello', ' two  words ', 'lines\nand "quotes" 🔑', 'granted c1:7 1 2 3 lock:a'])(
    'of another client has its text as it was sent: %j',
    (text) => expect(readNotice(`told ${text}`)).toEqual({ kind: 'told', text }),
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
  ])('is nothing else: %j', (message) => expect(readNotice(message)).toBeNull())
})
