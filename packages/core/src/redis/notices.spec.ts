import { readNotice } from './notices.js'

describe('a notice', () => {
  it('of a grant has owner, token, server time, lease and lock', () => {
    expect(readNotice('granted c1:7 1700000000000001 1700000000000002 30000 lock:a')).toEqual({
      kind: 'granted',
      owner: 'c1:7',
      token: 1_700_000_000_000_001,
      serverUs: 1_700_000_000_000_002,
      leaseMs: 30_000,
      lock: 'lock:a',
    })
  })

  it('of an eviction has owner and lock', () => {
    expect(readNotice('revoked c1:7 lock:a')).toEqual({ kind: 'revoked', owner: 'c1:7', lock: 'lock:a' })
  })

  it('of a turn has owner and lock', () => {
    expect(readNotice('free c1:7 lock:a')).toEqual({ kind: 'free', owner: 'c1:7', lock: 'lock:a' })
  })

  it.each(['lock:two words', 'lock:two\nlines', 'lock: ', 'lock:granted x 1 2 3 y'])(
    'may be about a lock with the key %j',
    (lock) => {
      expect(readNotice(`granted c1:7 1 2 3 ${lock}`)).toMatchObject({ lock })
      expect(readNotice(`revoked c1:7 ${lock}`)).toMatchObject({ lock })
    },
  )

  it.each([
    '',
    'hello',
    'granted',
    'granted c1:7 1 2 3',
    'granted c1:7 x 2 3 a',
    'revoked c1:7',
    'free c1:7',
    ' revoked a b',
  ])('is nothing else: %j', (message) => {
    expect(readNotice(message)).toBeNull()
  })
})
