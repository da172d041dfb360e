import { Holdfast } from '@holdfast/core'
import { openRedis, uniqueName, type OpenedRedis } from '@holdfast/testkit'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

let redis: OpenedRedis
const clients: Holdfast[] = []
const realTimeout = setTimeout

beforeAll(async () => {
  redis = await openRedis()
})

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  jest.useRealTimers()
})

afterAll(() => redis.stop())

/** The calls that docs/recipes/testing.md shows for tests with a real Redis. */
const [, withRealRedis = ''] = readFileSync(join(__dirname, '../../docs/recipes/testing.md'), 'utf8').split(
  '## With a real Redis',
)
const calls = [...withRealRedis.matchAll(/^ *(jest\.useFakeTimers\(.*?\)\n)(?= *```)/gms)].map(
  ([, call = '']) => call,
)

it('docs/recipes/testing.md shows two ways to fake timers beside a real Redis', () =>
  expect(calls).toHaveLength(2))

it.each(calls)(
  'a lock on a real Redis is granted, kept, handed on and released, whatever is faked: %#',
  async (call) => {
    runInNewContext(call, { jest, Date })
    const [ann, bob] = [1, 2].map(() => new Holdfast({ redis: redis.url }))
    if (!ann || !bob) throw new Error('no clients')
    clients.push(ann, bob)
    const name = uniqueName('fake-timers')
    const lease = await ann.getLock(name).lock()
    const waiting = bob.getLock(name).lock()
    // Longer than the 302 ms after which a clock that stands still would look like a suspended machine.
    await new Promise((resolve) => void realTimeout(resolve, 400))
    expect(lease.isHeld).toBe(true)
    await lease.unlock()
    const next = await waiting
    expect(next.isHeld).toBe(true)
    await next.unlock()
  },
)
