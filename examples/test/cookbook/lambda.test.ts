import { Holdfast } from '@holdfast/core'
import { killClients, type Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ redis: apps.redis.url })
})
afterEach(() => holdfast.close())

const invoke = (container: Worker, timeoutMs: number): Promise<void> =>
  container.send({ type: 'invoke', orderId: '7', timeoutMs })

async function expectToServe(container: Worker): Promise<void> {
  await invoke(container, 10_000)
  await container.send({ type: 'finish' })
  expect(await container.waitFor('response')).toMatchObject({ parcel: 'parcel of 7' })
}

it('nothing is held by a container that is frozen between invocations', async () => {
  const container = await apps.start('lambda')
  await expectToServe(container)
  await container.freeze()
  const lease = await holdfast.getLock('order:7').tryLock()
  expect(lease?.isHeld).toBe(true)
  await lease?.unlock()
})

it('a thawed container serves the next invocation, although its connections are gone', async () => {
  const container = await apps.start('lambda')
  await expectToServe(container)
  await container.freeze()
  expect(await killClients(apps.redis)).toBeGreaterThan(0)
  container.thaw()
  await expectToServe(container)
})

it('a container that is frozen within an invocation keeps the lock until its lease ends, and then claims nothing', async () => {
  const [frozen, other] = [await apps.start('lambda'), await apps.start('lambda')]
  await invoke(frozen, 3_000)
  const older = await frozen.waitFor('shipping')
  await frozen.freeze()
  expect(await holdfast.getLock('order:7').tryLock()).toBeNull()
  await invoke(other, 10_000)
  const newer = await other.waitFor('shipping')
  expect(Number(newer['token'])).toBeGreaterThan(Number(older['token']))
  await frozen.send({ type: 'finish' })
  frozen.thaw()
  expect(await frozen.waitFor('shipped')).toMatchObject({ isHeld: false, token: older['token'] })
  expect(await frozen.waitFor('response')).toMatchObject({ error: 'LOCK_LOST' })
  await other.send({ type: 'finish' })
  expect(await other.waitFor('response')).toMatchObject({ parcel: 'parcel of 7' })
})
