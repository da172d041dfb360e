import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { closeAll, openClient } from './support/clients.js'

afterEach(closeAll)

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
