import { readNotice } from './notices.js'

it('reads a grant, whatever the name of its lock', () => {
  expect(readNotice('granted c:7 1700000000000001 1700000000000000 30000 a b\nc')).toEqual({
    kind: 'granted',
    owner: 'c:7',
    token: 1_700_000_000_000_001,
    serverUs: 1_700_000_000_000_000,
    leaseMs: 30_000,
    id: 'a b\nc',
  })
})

it('reads an eviction', () => {
  expect(readNotice('revoked c:7')).toEqual({ kind: 'revoked', owner: 'c:7' })
})

it.each(['', 'granted', 'granted c:7 x 1 1 name', 'revoked', 'something else'])('ignores %j', (payload) => {
  expect(readNotice(payload)).toBeUndefined()
})
