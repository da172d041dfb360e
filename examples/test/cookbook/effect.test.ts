import { Holdfast } from '@holdfast/core'
import { useApps } from './use-apps.js'

const apps = useApps()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ redis: apps.redis.url })
})
afterEach(() => holdfast.close())

it('two processes run the effect one after the other, and the lock is free after both', async () => {
  const [a, b] = [await apps.start('effect'), await apps.start('effect')]
  await a.send({ type: 'work' })
  await a.waitFor('began')
  await b.send({ type: 'work' })
  await a.send({ type: 'finish' })
  expect(await a.waitFor('ended')).toMatchObject({ outcome: 'done' })
  await b.waitFor('began')
  await b.send({ type: 'finish' })
  expect(await b.waitFor('ended')).toMatchObject({ outcome: 'done', isLocked: false })
})

it('a loss interrupts the effect, which fails with it', async () => {
  const a = await apps.start('effect')
  await a.send({ type: 'work' })
  await a.waitFor('began')
  await holdfast.getLock('order:42').forceUnlock()
  await a.waitFor('interrupted')
  expect((await a.waitFor('ended'))['outcome']).toContain('LockLostError')
})

it('a nested effect does not re-enter: it waits for the outer one, and gives up', async () => {
  const a = await apps.start('effect')
  await a.send({ type: 'nested' })
  expect(await a.waitFor('ended')).toMatchObject({
    outcome: expect.stringContaining('LockTimeoutError') as string,
    isLocked: false,
  })
})
