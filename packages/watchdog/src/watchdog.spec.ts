import {
  autoRenew,
  callAt,
  elapsed,
  Item,
  letRepliesArrive,
  manualRenew,
  stallEventLoop,
  useFakeClock,
  watching,
} from '../test/support/items.js'
import { Watchdog } from './watchdog.js'

useFakeClock()

describe('the period', () => {
  it('counts the next period from the sending, not from the answer', async () => {
    const { calls, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_400)
    await callAt(calls, 0).answer('renewed')
    expect(item.sentAt.map(elapsed)).toEqual([1_000])
    await jest.advanceTimersByTimeAsync(600)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000, 2_000])
  })

  it('takes the sending instant before renew is called', async () => {
    const watchdog = new Watchdog<Item>({
      renew: (items) => {
        jest.advanceTimersByTime(300)
        return Promise.resolve(items.map(() => 'renewed' as const))
      },
    })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(item.sentAt.map(elapsed)).toEqual([1_000])
  })

  it('reads the period at each scheduling', async () => {
    const { calls, item } = watching(autoRenew())
    item.onSettle = () => (item.renewEveryMs = 200)
    await jest.advanceTimersByTimeAsync(1_400)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000, 1_200, 1_400])
  })

  it('does not renew an item without a period, but watches its deadline', async () => {
    const { calls, item } = watching(autoRenew(), new Item('a', null))
    await jest.advanceTimersByTimeAsync(4_000)
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('treats adding an item twice as rescheduling it', async () => {
    const { calls, watchdog, item } = watching(autoRenew())
    item.renewEveryMs = 500
    watchdog.add(item)
    expect(watchdog.size).toBe(1)
    await jest.advanceTimersByTimeAsync(500)
    expect(calls).toHaveLength(1)
  })

  it('refuses a period or a deadline that no timer could follow', () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    expect(() => watchdog.add(new Item('a', 0))).toThrow('renewEveryMs must be null or above 0, got 0')
    expect(() => watchdog.add(new Item('b', 1_000, NaN))).toThrow('deadlineAt must be an instant, got NaN')
    expect(watchdog.size).toBe(0)
  })
})

describe('batches', () => {
  it('renews items of a group together that are due within the next half of their period', async () => {
    const { calls, watchdog } = watching(
      autoRenew(),
      new Item('a'),
      new Item('other', 1_000, 3_000, 'another group'),
    )
    await jest.advanceTimersByTimeAsync(500)
    watchdog.add(new Item('b'))
    watchdog.add(new Item('other too', 1_100, 3_000, 'a third group'))
    await jest.advanceTimersByTimeAsync(10)
    watchdog.add(new Item('c'))
    await jest.advanceTimersByTimeAsync(500)
    expect(calls.map((call) => [elapsed(call.at), ...call.names])).toEqual([
      [1_000, 'a', 'b'],
      [1_000, 'other'],
    ])
  })

  it('takes no more along than fill a call, so that items added at any times come to fill whole ones', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew, maxBatch: 4 })
    for (let n = 0; n < 10; n += 1) {
      watchdog.add(new Item(String(n)))
      await jest.advanceTimersByTimeAsync(100)
    }
    await jest.advanceTimersByTimeAsync(3_000)
    calls.length = 0
    await jest.advanceTimersByTimeAsync(10_000)
    expect(calls.length).toBeLessThanOrEqual(10 * Math.ceil(10 / 4) + 1)
    expect(Math.max(...calls.map(({ names }) => names.length))).toBe(4)
  })

  it('sends nothing early only because a deadline passes', async () => {
    const { calls } = watching(autoRenew(), new Item('a'), new Item('b', null, 970))
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000])
  })

  it('makes one call per group, all at once', async () => {
    const { calls } = watching(
      manualRenew(),
      new Item('a', 1_000, 3_000, 'left'),
      new Item('b', 1_000, 3_000, 'right'),
      new Item('c', 1_000, 3_000, 'left'),
    )
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => call.names)).toEqual([['a', 'c'], ['b']])
  })

  it('puts at most 500 items into one call by default', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    for (let index = 0; index < 501; index += 1) watchdog.add(new Item(String(index)))
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => call.names.length)).toEqual([500, 1])
  })

  it('refuses a batch size that is not a positive integer', () => {
    for (const maxBatch of [0, 1.5, NaN]) {
      expect(() => new Watchdog<Item>({ ...autoRenew(), maxBatch })).toThrow(RangeError)
    }
  })

  it('uses a single timer for any number of items', () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    for (let index = 0; index < 100; index += 1) watchdog.add(new Item(String(index), 1_000 + index))
    expect(jest.getTimerCount()).toBe(1)
  })
})

describe('deadline', () => {
  it('expires an item exactly once, at its deadline, and forgets it first', async () => {
    const { watchdog, item } = watching(manualRenew())
    const expiredAt: number[] = []
    item.onExpire = () => {
      expiredAt.push(elapsed(performance.now()))
      expect(watchdog.has(item)).toBe(false)
    }
    await jest.advanceTimersByTimeAsync(10_000)
    expect(expiredAt).toEqual([3_000])
    expect(watchdog.size).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('expires no later than the deadline even when it falls between two whole milliseconds', async () => {
    const { item } = watching(autoRenew(), new Item('a', null, 100.7))
    await jest.advanceTimersByTimeAsync(99)
    expect(item.log).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(item.log).toEqual(['expired'])
  })

  it('follows a deadline that the item moved in settle', async () => {
    const { calls, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_500)
    await callAt(calls, 0).answer('renewed')
    await jest.advanceTimersByTimeAsync(2_499)
    expect(item.log).toEqual(['renewed'])
    await jest.advanceTimersByTimeAsync(1)
    expect(item.log).toEqual(['renewed', 'expired'])
  })

  it('does not expire an item whose deadline was moved ahead without a reschedule()', async () => {
    const { item } = watching(autoRenew(), new Item('a', null))
    item.deadlineAt += 500
    await jest.advanceTimersByTimeAsync(3_400)
    expect(item.log).toEqual([])
    await jest.advanceTimersByTimeAsync(100)
    expect(item.log).toEqual(['expired'])
  })

  it('comes before any renewal after an event-loop stall', async () => {
    const events: string[] = []
    const watchdog = new Watchdog<Item>({
      renew: (items) => {
        events.push(`renew ${items.map((item) => item.name).join()}`)
        return Promise.resolve(items.map(() => 'renewed' as const))
      },
    })
    const overdue = new Item('overdue', 1_000, 3_000)
    overdue.onExpire = () => events.push('expire overdue')
    watchdog.add(new Item('still held', 900, 30_000))
    watchdog.add(overdue)
    stallEventLoop(5_000)
    await jest.advanceTimersByTimeAsync(900)
    expect(events).toEqual(['expire overdue', 'renew still held'])
  })

  it('is watched over delays that setTimeout cannot take', async () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    const arm = jest.spyOn(globalThis, 'setTimeout')
    const longMs = 2 ** 31 + 10_000
    const item = new Item('a', null, longMs)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(longMs - 1)
    expect(item.log).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(item.log).toEqual(['expired'])
    expect(arm).toHaveBeenCalledTimes(2)
  })

  it('may be infinite', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const forever = new Item('a', null, Infinity)
    watchdog.add(forever)
    expect(jest.getTimerCount()).toBe(0)
    watchdog.renewNow()
    await letRepliesArrive()
    expect(calls).toHaveLength(1)
    expect(watchdog.has(forever)).toBe(true)
  })
})

describe('outcomes', () => {
  it('forgets a lost item before notifying it', async () => {
    const { watchdog, item } = watching(autoRenew('lost'))
    item.onSettle = () => expect(watchdog.has(item)).toBe(false)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(item.log).toEqual(['lost'])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('retries an unknown outcome after a quarter of the period', async () => {
    const { calls } = watching(autoRenew('unknown'), new Item('a', 400))
    await jest.advanceTimersByTimeAsync(600)
    expect(calls.map((call) => elapsed(call.at))).toEqual([400, 500, 600])
  })

  it('retries no later than after 250 ms and no sooner than after 20 ms', async () => {
    const { calls } = watching(
      autoRenew('unknown'),
      new Item('slow', 10_000, 30_000),
      new Item('fast', 8, 60),
    )
    await jest.advanceTimersByTimeAsync(10_500)
    const sentAt = (name: string) =>
      calls.filter((call) => call.names.includes(name)).map((call) => elapsed(call.at))
    expect(sentAt('fast')).toEqual([8, 28, 48])
    expect(sentAt('slow')).toEqual([10_000, 10_250, 10_500])
  })

  it('does not retry an item that lost its period in the meantime', async () => {
    const { calls, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_000)
    item.renewEveryMs = null
    await callAt(calls, 0).answer('unknown')
    await jest.advanceTimersByTimeAsync(2_000)
    expect(calls).toHaveLength(1)
    expect(item.log).toEqual(['unknown', 'expired'])
  })

  it('returns to the period once a retry succeeded', async () => {
    const { calls } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_000)
    await callAt(calls, 0).answer('unknown')
    await jest.advanceTimersByTimeAsync(250)
    await callAt(calls, 1).answer('renewed')
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000, 1_250, 2_250])
  })

  it('takes a rejected renewal as unknown for all its items', async () => {
    const errors: unknown[] = []
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew, onError: (error) => errors.push(error) })
    const items = [new Item('a'), new Item('b')]
    for (const item of items) watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    await callAt(calls, 0).fail(new Error('no connection'))
    expect(items.map((item) => item.log)).toEqual([['unknown'], ['unknown']])
    expect(errors).toEqual([new Error('no connection')])
    expect(watchdog.size).toBe(2)
  })

  it('takes a wrong number of outcomes as unknown for all items', async () => {
    const errors: unknown[] = []
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew, onError: (error) => errors.push(error) })
    const items = [new Item('a'), new Item('b')]
    for (const item of items) watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    await callAt(calls, 0).answer('lost')
    expect(items.map((item) => item.log)).toEqual([['unknown'], ['unknown']])
    expect(errors).toEqual([new Error('renew() returned 1 outcomes for 2 items')])
  })

  it('still expires an item whose renewal never settles, while other groups go on', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const stuck = new Item('stuck', 1_000, 3_000, 'mute')
    const lively = new Item('lively', 1_000, 3_000, 'well')
    watchdog.add(stuck)
    watchdog.add(lively)
    for (let round = 0; round < 4; round += 1) {
      await jest.advanceTimersByTimeAsync(1_000)
      await calls.filter((call) => call.names.includes('lively'))[round]?.answer('renewed')
    }
    expect(stuck.log).toEqual(['expired'])
    expect(lively.log).toEqual(['renewed', 'renewed', 'renewed', 'renewed'])
    expect(calls.filter((call) => call.names.includes('stuck'))).toHaveLength(1)
  })
})
