import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { closeAll, openClient, openReadyClient } from './support/clients.js'

const advice =
  'The holder is a call of this same client, such as another request of the same server: calls exclude each other within a client ' +
  'as they do between clients, and re-enter only inside withLock, run or scope'

afterEach(closeAll)

it('a wait that timed out behind the own client says so without alarm, and how to re-enter', async () => {
  const lock = openClient(sharedRedisUrl()).getLock(uniqueName('self'))
  const { owner } = await lock.lock()
  for (const call of [lock.lock({ waitMs: 300 }), lock.withLock({ waitMs: 300 }, () => 'not to be run')]) {
    await expect(call).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      lockName: lock.name,
      owner: expect.stringMatching(/:\d+$/) as unknown,
      holder: owner,
      message: expect.stringMatching(
        new RegExp(
          `^timed out after \\d+ ms waiting for lock ${lock.name} \\(held by ${owner}, .*\\)\\. ${advice}$`,
        ),
      ) as unknown,
    })
  }
  await expect(lock.tryLock({ waitMs: 300 })).resolves.toBeNull()
})

it('a wait that timed out behind another client says nothing of the kind', async () => {
  const name = uniqueName('self')
  await openClient(sharedRedisUrl()).getLock(name).lock()
  const waiting = (await openReadyClient(sharedRedisUrl())).getLock(name).lock({ waitMs: 300 })
  await expect(waiting).rejects.toMatchObject({
    message: expect.stringMatching(/queue position 1\)$/) as unknown,
  })
})
