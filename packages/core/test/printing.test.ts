import { inspect } from 'node:util'
import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { closeAll, openClient } from './support/clients.js'
import { openShared } from './support/open-shared.js'

afterEach(closeAll)

it('a lock shows its name in logs and in JSON', () => {
  const lock = openClient(sharedRedisUrl()).getLock('order:42')
  expect(inspect(lock)).toBe("Lock { name: 'order:42' }")
  expect(JSON.stringify(lock)).toBe('{"name":"order:42"}')
})

it('a lease shows in logs and in JSON who holds what, how often, with which token and for how long', async () => {
  const lock = openClient(sharedRedisUrl()).getLock(uniqueName('printing'))
  await using lease = await lock.lock()
  const { name, owner, holdCount, fencingToken } = lease
  expect(JSON.parse(JSON.stringify({ lease }))).toEqual({
    lease: { name, owner, holdCount, fencingToken, remainingMs: expect.any(Number) as unknown },
  })
  const shown = inspect({ lease }, { breakLength: Infinity })
  expect(shown.replace(/remainingMs: \d+/, 'remainingMs: 1')).toBe(
    `{ lease: Lease { name: '${name}', owner: '${owner}', holdCount: 1, fencingToken: ${fencingToken}, remainingMs: 1 } }`,
  )
})

it('a lease that was left shows that nothing of it remains', async () => {
  const lease = await openClient(sharedRedisUrl()).getLock(uniqueName('printing')).lock()
  await lease.unlock()
  expect(lease.toJSON()).toMatchObject({ holdCount: 0, remainingMs: 0 })
})

it('a lease without a fencing token shows none', async () => {
  const holdfast = openShared(sharedRedisUrl())
  await using lease = await holdfast.getLock(uniqueName('printing')).lock()
  expect(lease.toJSON()).not.toHaveProperty('fencingToken')
})

it('a client shows its engine and its figures, and its id is the first part of its owners', () => {
  const holdfast = openClient(sharedRedisUrl())
  expect(inspect(holdfast)).toMatch(
    /^Holdfast \{\s+engine: 'redis',\s+clientId: '[\w-]+',\s+store: 'Redis at [^']+',\s+holds: 0,/,
  )
})

it('a copy of the fields of a lease is not mistaken for it, and JSON leaves out what keeps it from being cloned', async () => {
  await using lease = await openClient(sharedRedisUrl()).getLock(uniqueName('printing')).lock()
  expect(JSON.stringify(Object.assign({}, lease))).toBe('{}')
})
