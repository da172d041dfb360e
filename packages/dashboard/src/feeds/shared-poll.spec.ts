import { RefusedError } from '@holdfast/core'
import { SharedPoll, StoreContact } from './shared-poll.js'

/** Lets promises settle, without letting time pass. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined)

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

function pollOf(take: () => Promise<number>, contact = new StoreContact()) {
  const reads = jest.fn(take)
  const idle = jest.fn()
  return { reads, idle, poll: new SharedPoll({ contact, take: reads, pauseMs: () => 1_000, idle }) }
}

it('reads nothing without a listener', async () => {
  const { reads } = pollOf(() => Promise.resolve(1))
  await jest.advanceTimersByTimeAsync(10_000)
  expect(reads).not.toHaveBeenCalled()
})

it('reads once for all listeners, and pauses between reads', async () => {
  const { reads, poll } = pollOf(() => Promise.resolve(1))
  const [one, other] = [jest.fn(), jest.fn()]
  poll.listen(one)
  poll.listen(other)
  await jest.advanceTimersByTimeAsync(2_500)
  expect(reads).toHaveBeenCalledTimes(3)
  expect(one).toHaveBeenCalledTimes(3)
  expect(other).toHaveBeenCalledTimes(3)
})

it('ends with its last listener, and begins again with the next', async () => {
  const { reads, idle, poll } = pollOf(() => Promise.resolve(1))
  const leave = [poll.listen(() => undefined), poll.listen(() => undefined)]
  await settle()
  leave.forEach((end) => end())
  expect(idle).toHaveBeenCalledTimes(1)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveBeenCalledTimes(1)
  expect(poll.reading).toMatchObject({ value: null, store: { is: 'starting' } })
  poll.listen(() => undefined)
  expect(reads).toHaveBeenCalledTimes(2)
})

it('a listener that comes back within the pause gets what was read, and no other read before its time', async () => {
  const { reads, poll } = pollOf(() => Promise.resolve(1))
  poll.listen(() => undefined)()
  await settle()
  for (let i = 0; i < 90; i += 1) {
    const leave = poll.listen(() => undefined)
    expect(poll.reading.value).toBe(1)
    await jest.advanceTimersByTimeAsync(10)
    leave()
  }
  expect(reads).toHaveBeenCalledTimes(1)
  const back = jest.fn()
  poll.listen(back)
  await jest.advanceTimersByTimeAsync(100)
  expect(back).toHaveBeenCalledTimes(1)
})

it('a listener that comes back during a read joins it', async () => {
  let finish = (_: number): void => undefined
  const { reads, poll } = pollOf(() => new Promise((resolve) => (finish = resolve)))
  poll.listen(() => undefined)()
  const back = jest.fn()
  poll.listen(back)
  expect(reads).toHaveBeenCalledTimes(1)
  finish(7)
  await settle()
  expect(back).toHaveBeenCalledWith(expect.objectContaining({ value: 7 }))
})

it('failures keep what was read, say since when the store has not answered, and make the pauses longer, up to 5 s', async () => {
  let isUp = true
  const { reads, poll } = pollOf(() => (isUp ? Promise.resolve(1) : Promise.reject(new Error('no route'))))
  poll.listen(() => undefined)
  await settle()
  isUp = false
  await jest.advanceTimersByTimeAsync(60_000)
  expect(poll.reading).toMatchObject({ value: 1, store: { is: 'failing', message: 'no route' } })
  const { store } = poll.reading
  expect(store.is === 'failing' && Date.now() - (store.answeredAt ?? 0)).toBe(60_000)
  expect(reads.mock.calls.length).toBeLessThan(20)
  isUp = true
  await jest.advanceTimersByTimeAsync(5_000)
  expect(poll.reading.store).toEqual({ is: 'live' })
})

it('a store that refuses has answered: that is no outage, and one that follows counts from there', async () => {
  let failure: Error = new RefusedError('WRONGPASS')
  const { poll } = pollOf(() => Promise.reject(failure))
  poll.listen(() => undefined)
  await jest.advanceTimersByTimeAsync(1_500)
  expect(poll.reading.store).toEqual({ is: 'refusing', message: 'WRONGPASS' })
  const refusedBefore = Date.now()
  failure = new Error('no route')
  await jest.advanceTimersByTimeAsync(10_000)
  const { store } = poll.reading
  expect(store).toMatchObject({ is: 'failing', message: 'no route' })
  expect(store.is === 'failing' && (store.answeredAt ?? Infinity)).toBeLessThanOrEqual(refusedBefore)
})

it('a poll that begins in an outage knows when the store last answered another one, and since when it was asked', async () => {
  const contact = new StoreContact()
  const first = pollOf(() => (isUp ? Promise.resolve(1) : Promise.reject(new Error('no route'))), contact)
  let isUp = true
  first.poll.listen(() => undefined)
  await settle()
  const answeredAt = Date.now()
  isUp = false
  await jest.advanceTimersByTimeAsync(60_000)
  const { poll } = pollOf(() => Promise.reject(new Error('no route')), contact)
  poll.listen(() => undefined)
  await settle()
  expect(poll.reading).toMatchObject({
    value: null,
    store: { is: 'failing', answeredAt, askedSince: answeredAt + 1_000 },
  })
})
