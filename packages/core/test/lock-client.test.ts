import { Holdfast, InvalidArgumentError } from '@holdfast/core'
import { getCountDownLatch } from '@holdfast/core/latch'
import { LockClient } from '@holdfast/core/lock'
import { getMultiLock } from '@holdfast/core/multi'
import { getReadWriteLock } from '@holdfast/core/read-write-lock'
import { redisson } from '@holdfast/core/redisson'
import { getSemaphore } from '@holdfast/core/semaphore'
import { memory } from '@holdfast/stores/memory'
import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { closeAfterTest, closeAll } from './support/clients.js'

afterEach(closeAll)

const open = <C extends LockClient>(client: C): C => {
  closeAfterTest(() => client.close())
  return client
}

const engines: readonly (readonly [string, () => LockClient])[] = [
  ['Redis', () => new LockClient({ redis: sharedRedisUrl() })],
  ['memory', () => new LockClient({ engine: memory() })],
  [
    'Redis, shared with Redisson',
    () =>
      new LockClient({
        engine: redisson({ redis: sharedRedisUrl(), semaphores: 'RPermitExpirableSemaphore' }),
      }),
  ],
  ['Redis, by a Holdfast', () => new Holdfast({ redis: sharedRedisUrl() })],
]

describe.each(engines)('a client with locks only, on %s', (_, make) => {
  it('has a lock', async () => {
    const client = open(make())
    const lock = client.getLock(uniqueName('lean'))
    const nested = await lock.withLock(() => lock.withLock(() => lock.holdCount()))
    expect(nested).toBe(2)
    expect(await lock.isLocked()).toBe(false)
  })

  it('has a semaphore by its function', async () => {
    const semaphore = getSemaphore(open(make()), uniqueName('lean'), { permits: 2 })
    await using _one = await semaphore.acquire()
    await using _two = await semaphore.acquire()
    expect(await semaphore.tryAcquire()).toBeNull()
  })

  it('has a read/write lock by its function', async () => {
    const { read, write } = getReadWriteLock(open(make()), uniqueName('lean'))
    await using _reader = await read.lock()
    await using _other = await read.lock()
    expect(await write.tryLock()).toBeNull()
  })

  it('has a latch by its function, which waiters pass', async () => {
    const latch = getCountDownLatch(open(make()), uniqueName('lean'))
    await latch.trySetCount(1)
    const waiting = latch.wait()
    await latch.countDown()
    await waiting
    expect(await latch.count()).toBe(0)
  })

  it('has a multi lock by its function', async () => {
    const client = open(make())
    const [a, b] = [client.getLock(uniqueName('lean')), client.getLock(uniqueName('lean'))]
    await using _lease = await getMultiLock(client, [a, b]).lock()
    expect(await b.tryLock()).toBeNull()
    expect(await a.isLocked()).toBe(true)
  })
})

it('a waiter behind a client with locks only is granted the lock, and is seen by another one', async () => {
  const [lean, full] = [
    open(new LockClient({ redis: sharedRedisUrl() })),
    open(new Holdfast({ redis: sharedRedisUrl() })),
  ]
  const name = uniqueName('lean')
  const lease = await lean.getLock(name).lock()
  expect(await full.getLock(name).inspect()).toMatchObject({ holder: { owner: lease.owner } })
  const waiting = full.getLock(name).lock()
  await new Promise((resolve) => full.once('waiting', resolve))
  await lease.unlock()
  await (await waiting).unlock()
})

it('functions refuse what is not a client of this package', () => {
  const given: unknown = { redis: sharedRedisUrl() }
  expect(() => getSemaphore(given as LockClient, 'a', { permits: 1 })).toThrow(InvalidArgumentError)
  expect(() => getSemaphore(given as LockClient, 'a', { permits: 1 })).toThrow(
    'getSemaphore needs a client of this package',
  )
})

it('a bad option names the client that was to be made', () => {
  const nothing: unknown = undefined
  expect(() => new LockClient(nothing as { redis: string })).toThrow('new LockClient({ redis })')
})
