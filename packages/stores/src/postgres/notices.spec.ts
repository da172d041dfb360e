import { readNotice } from './notices.js'

it('reads a grant, whatever the name of its lock', () => {
  expect(readNotice('granted c:7 1700000000000001 1700000000000000 30000 Pr_f-1 a b\nc')).toEqual({
    kind: 'granted',
    owners: [{ owner: 'c:7', leaseMs: 30_000, proof: 'Pr_f-1' }],
    token: 1_700_000_000_000_001,
    serverUs: 1_700_000_000_000_000,
    id: 'a b\nc',
  })
})

it('reads which owners entered together, and for how long each', () => {
  expect(
    readNotice('entered 17 1700000000000000 c:7:30000:Pr_f-1,c:12:500:Pr_f-2 \\semaphore a b\nc'),
  ).toEqual({
    kind: 'granted',
    owners: [
      { owner: 'c:7', leaseMs: 30_000, proof: 'Pr_f-1' },
      { owner: 'c:12', leaseMs: 500, proof: 'Pr_f-2' },
    ],
    token: 17,
    serverUs: 1_700_000_000_000_000,
    id: '\\semaphore a b\nc',
  })
})

it('reads that a latch opened, or is gone', () => {
  expect(readNotice('open 17 \\latch a b')).toEqual({ kind: 'open', generation: 17, id: '\\latch a b' })
  expect(readNotice('gone 17 \\latch a')).toEqual({ kind: 'gone', generation: 17, id: '\\latch a' })
})

it.each(['', 'hello', ' two  words ', 'lines\nand "quotes" 🔑', 'granted c:7 1 2 3 a'])(
  'reads what another client says: %j',
  (text) => expect(readNotice(`told ${text}`)).toEqual({ kind: 'told', text }),
)

it('reads an eviction', () => expect(readNotice('revoked c:7')).toEqual({ kind: 'revoked', owner: 'c:7' }))

it.each([
  '',
  'granted',
  'granted c:7 x 1 1 proof name',
  'granted c:7 1 1 1 name',
  'granted c:7 100000000000000000000 1 1 proof name',
  'granted c:7 1786400000000001 1700000000000000 1 proof name',
  `granted c:7 1 1 ${'9'.repeat(400)} proof name`,
  'entered 1 9007199254740992 c:7:3:proof name',
  'entered 1 2 c:x:proof name',
  'entered 1 2 c:7:3:proof',
  'open 9007199254740992 name',
  'revoked',
  'something else',
])('ignores %j', (payload) => expect(readNotice(payload)).toBeUndefined())
