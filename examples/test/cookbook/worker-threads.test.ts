import { Holdfast } from '@holdfast/core'
import { until } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ redis: apps.redis.url })
})
afterEach(() => holdfast.close())

/** Takes hours. */
const endless = 1e12

it('threads of two processes take turns on a lock, with a client each', async () => {
  const ledger = holdfast.getLock('ledger')
  const lease = await ledger.lock()
  const processes = [await apps.start('worker-threads'), await apps.start('worker-threads')]
  for (const app of processes) {
    for (const n of [1, 2, 3]) await app.send({ type: 'seal', document: `${app.pid}-${n}`, rounds: 1 })
  }
  const { waiters } = await until(
    async () => {
      const info = await ledger.inspect()
      return info.waiterCount === 6 && info
    },
    { what: 'six waiting threads' },
  )
  expect(new Set(waiters.map(({ owner }) => owner.split(':')[0])).size).toBe(6)
  await lease.unlock()
  for (const app of processes) for (const _ of [1, 2, 3]) await app.waitFor('sealed')
  expect(await apps.redis.call('GET', 'sealed')).toBe('6')
})

it('the main thread renews beside a thread that blocks, and ends that thread when the hold is lost', async () => {
  const app = await apps.start('worker-threads', { WATCHDOG_MS: '1500' })
  await app.send({ type: 'seal', document: 'long', rounds: endless })
  for (const _ of [1, 2, 3, 4, 5]) await app.waitFor('renewed')
  const lock = holdfast.getLock('document:long')
  expect(await lock.tryLock()).toBeNull()
  await lock.forceUnlock()
  expect(await app.waitFor('failed')).toMatchObject({ name: 'LockLostError' })
})
