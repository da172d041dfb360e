import { Holdfast } from '@holdfast/core'
import { until, type Worker } from '@holdfast/testkit'
import { EventEmitter, once } from 'node:events'
import { lead } from '../../src/cookbook/leader.js'
import { useApps } from './use-apps.js'

const apps = useApps()
let holdfast: Holdfast

beforeEach(() => {
  holdfast = new Holdfast({ redis: apps.redis.url })
})
afterEach(() => holdfast.close())

/** Three instances in the order in which they will lead. */
async function startThree(): Promise<[Worker, Worker, Worker]> {
  const lock = holdfast.getLock('leader:poller')
  const first = await apps.start('leader')
  await first.waitFor('leads')
  const second = await apps.start('leader')
  await until(async () => (await lock.inspect()).waiterCount === 1)
  const third = await apps.start('leader')
  await until(async () => (await lock.inspect()).waiterCount === 2)
  return [first, second, third]
}

const hasLed = (worker: Worker): boolean => worker.messages.some(({ type }) => type === 'leads')

it('one of three instances leads, and when it is killed another one takes over', async () => {
  const [first, second, third] = await startThree()
  expect([first, second, third].map(hasLed)).toEqual([true, false, false])
  await first.kill()
  await second.waitFor('leads')
  expect(hasLed(third)).toBe(false)
})

it('a leader that is stopped ends its work before the next one begins', async () => {
  const [first, second] = await startThree()
  expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(first.messages.at(-1)).toMatchObject({ type: 'stepped down', reason: 'AbortError' })
  await second.waitFor('leads')
})

it('a leader that was frozen for longer than its lease steps down, and queues again', async () => {
  const [first, second, third] = await startThree()
  await first.freeze()
  await second.waitFor('leads')
  first.thaw()
  expect(await first.waitFor('stepped down')).toMatchObject({ reason: 'LockLostError' })
  expect(await first.waitFor('error')).toMatchObject({ code: 'LOCK_LOST' })
  await until(async () => (await holdfast.getLock('leader:poller').inspect()).waiterCount === 2)
  await third.kill()
  await second.kill()
  await first.waitFor('leads')
})

it('a leader that is evicted steps down', async () => {
  const [first, second] = await startThree()
  await holdfast.getLock('leader:poller').forceUnlock()
  expect(await first.waitFor('stepped down')).toMatchObject({ reason: 'LockLostError' })
  await second.waitFor('leads')
})

it('a leader whose work rejects with an AbortError of its own, as timers and fetch do, is stopped without an error', async () => {
  const stop = new AbortController()
  const onError = jest.fn()
  const begun = new Promise((resolve) => holdfast.once('acquired', resolve))
  const led = lead(
    holdfast,
    'timer',
    stop.signal,
    (signal) => once(new EventEmitter(), 'never', { signal }).then(() => undefined),
    onError,
  )
  await begun
  stop.abort(new Error('deployment'))
  await led
  expect(onError).not.toHaveBeenCalled()
})

it('work that fails while it is being stopped is reported', async () => {
  const stop = new AbortController()
  const onError = jest.fn()
  const work = async (signal: AbortSignal): Promise<void> => {
    setImmediate(() => stop.abort())
    await once(signal, 'abort')
    throw new Error('could not say goodbye')
  }
  await lead(holdfast, 'rude', stop.signal, work, onError)
  expect(onError).toHaveBeenCalledWith(new Error('could not say goodbye'))
})

it('work that returns at once is repeated at its leisure, and another instance may lead meanwhile', async () => {
  const stop = new AbortController()
  const work = jest.fn(() => Promise.resolve())
  const rival = holdfast.getLock('leader:short')
  const led = lead(holdfast, 'short', stop.signal, work, () => undefined)
  await until(() => work.mock.calls.length > 0)
  for (let n = 0; n < 50; n++) await rival.withLock(() => n)
  expect(work.mock.calls.length).toBeLessThan(10)
  stop.abort()
  await led
})
