import {
  autoRenew,
  callAt,
  elapsed,
  Item,
  manualRenew,
  stallEventLoop,
  useFakeClock,
  watching,
} from '../test/support/items.js'
import { Watchdog } from './watchdog.js'

useFakeClock()

describe('renewNow', () => {
  it('renews everything before it returns, also items without a period', () => {
    const { calls, watchdog } = watching(manualRenew(), new Item('a'), new Item('b', null))
    watchdog.renewNow()
    expect(calls.map((call) => [...call.names].sort())).toEqual([['a', 'b']])
  })

  it('renews only the items that were named, and none that is not watched', () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('b')
    watchdog.add(new Item('a'))
    watchdog.add(item)
    watchdog.renewNow([item, new Item('stranger')])
    expect(calls.map((call) => call.names)).toEqual([['b']])
  })

  it('renews exactly once more after a renewal in flight, however often that was requested', async () => {
    const { calls, watchdog } = watching(manualRenew(), new Item('a', null))
    watchdog.renewNow()
    watchdog.renewNow()
    watchdog.renewNow()
    expect(calls).toHaveLength(1)
    await callAt(calls, 0).answer('renewed')
    await jest.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(2)
    await callAt(calls, 1).answer('renewed')
    await jest.advanceTimersByTimeAsync(2_000)
    expect(calls).toHaveLength(2)
  })

  it('retries an item without a period until it is answered, then leaves it alone', async () => {
    const { calls, watchdog } = watching(manualRenew(), new Item('a', null, 10_000))
    watchdog.renewNow()
    await callAt(calls, 0).fail(new Error('no connection'))
    await jest.advanceTimersByTimeAsync(250)
    await callAt(calls, 1).answer('unknown')
    await jest.advanceTimersByTimeAsync(250)
    await callAt(calls, 2).answer('renewed')
    await jest.advanceTimersByTimeAsync(5_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([0, 250, 500])
  })

  it('starts the period again', async () => {
    const { calls, watchdog } = watching(autoRenew())
    await jest.advanceTimersByTimeAsync(600)
    watchdog.renewNow()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([600, 1_600])
  })

  it('expires an item that is past its deadline instead of renewing it', () => {
    const { calls, watchdog, item } = watching(manualRenew())
    stallEventLoop(5_000)
    watchdog.renewNow()
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('called from every settle does not turn into a busy loop', async () => {
    const { calls, watchdog, item } = watching(autoRenew('unknown'), new Item('a', null, 100))
    item.onSettle = () => watchdog.renewNow()
    watchdog.renewNow()
    await jest.advanceTimersByTimeAsync(200)
    expect(calls.map((call) => elapsed(call.at))).toEqual([0, 20, 40, 60, 80])
    expect(item.log.at(-1)).toBe('expired')
  })
})

describe('reschedule', () => {
  it('follows a shorter period', async () => {
    const { calls, watchdog, item } = watching(autoRenew())
    item.renewEveryMs = 300
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(300)
    expect(calls).toHaveLength(1)
  })

  it('starts a period from the adding, so that a period that has passed means at once', async () => {
    const { calls, watchdog, item } = watching(autoRenew(), new Item('a', null, 10_000))
    await jest.advanceTimersByTimeAsync(5_000)
    item.renewEveryMs = 1_000
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(1)
  })

  it('ends a period', async () => {
    const { calls, watchdog, item } = watching(autoRenew())
    item.renewEveryMs = null
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('follows an earlier deadline', async () => {
    const { watchdog, item } = watching(autoRenew(), new Item('a', null))
    item.deadlineAt -= 2_000
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(item.log).toEqual(['expired'])
  })

  it('leaves a pending retry where it is', async () => {
    const { calls, watchdog, item } = watching(autoRenew('unknown'))
    await jest.advanceTimersByTimeAsync(1_000)
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(249)
    expect(calls).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(2)
  })

  it('does not send a second renewal beside one in flight', async () => {
    const { calls, watchdog, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_000)
    item.renewEveryMs = 10
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(500)
    expect(calls).toHaveLength(1)
  })
})
