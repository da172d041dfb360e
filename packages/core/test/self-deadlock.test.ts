import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { closeAll, openClient, openReadyClient } from './support/clients.js'

afterEach(closeAll)

it('a wait that timed out behind the own client suspects no mistake', async () => {
  const lock = openClient(sharedRedisUrl()).getLock(uniqueName('self'))
  const { owner } = await lock.lock()
  for (const call of [
    lock.lock({ waitMs: 1_500 }),
    lock.withLock({ waitMs: 1_500 }, () => 'not to be run'),
  ]) {
    await expect(call).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      lockName: lock.name,
      owner: expect.stringMatching(/:\d+$/) as unknown,
      holder: owner,
      message: expect.stringMatching(
        new RegExp(
          `^timed out after \\d+ ms waiting for lock ${lock.name} \\(held by ${owner} .*\\); retry or raise waitMs$`,
        ),
      ) as unknown,
    })
  }
  await expect(lock.tryLock({ waitMs: 1_500 })).resolves.toBeNull()
})

it('unlock() with nothing to undo says what releases here: withLock, or nothing more in this scope', async () => {
  const holdfast = openClient(sharedRedisUrl())
  const lock = holdfast.getLock(uniqueName('self'))
  await lock.withLock(async () => {
    await expect(lock.unlock()).rejects.toThrow(`withLock releases lock ${lock.name} by itself`)
  })
  await holdfast.scope(async () => {
    await lock.lock()
    await lock.unlock()
    await expect(lock.unlock()).rejects.toThrow(
      `no lock() of lock ${lock.name} in this holdfast.scope() is left to undo`,
    )
  })
})

it('a wait that timed out behind another client says nothing of the kind', async () => {
  const name = uniqueName('self')
  await openClient(sharedRedisUrl()).getLock(name).lock()
  const waiting = (await openReadyClient(sharedRedisUrl())).getLock(name).lock({ waitMs: 1_500 })
  await expect(waiting).rejects.toMatchObject({
    message: expect.stringMatching(/queue position 1\); retry or raise waitMs$/) as unknown,
  })
})
