import type { Renewable, RenewalOutcome } from './renewable.js'
import { Watchdog, type WatchdogOptions } from './watchdog.js'

/** An item that writes down what happens to it, and moves its deadline as a lease would. */
class Item implements Renewable {
  readonly log: string[] = []
  readonly sentAt: number[] = []
  deadlineAt: number
  onSettle: (outcome: RenewalOutcome) => void = () => undefined
  onExpire: () => void = () => undefined

  constructor(
    readonly name: string,
    public renewEveryMs: number | null = 1_000,
    readonly leaseMs = 3_000,
    readonly group = 'one group',
  ) {
    this.deadlineAt = performance.now() + leaseMs
  }

  settle(outcome: RenewalOutcome, sentAt: number): void {
    this.log.push(outcome)
    this.sentAt.push(sentAt)
    if (outcome === 'renewed') this.deadlineAt = sentAt + this.leaseMs
    this.onSettle(outcome)
  }

  expire(): void {
    this.log.push('expired')
    this.onExpire()
  }
}

/** One call of renew, answered when the test says so. */
interface Call {
  readonly at: number
  readonly names: readonly string[]
  answer(...outcomes: RenewalOutcome[]): Promise<void>
  fail(error: unknown): Promise<void>
}

const letRepliesArrive = () => jest.advanceTimersByTimeAsync(0)

function manualRenew(): {
  calls: Call[]
  renew: (items: readonly Item[]) => Promise<readonly RenewalOutcome[]>
} {
  const calls: Call[] = []
  const renew = (items: readonly Item[]) =>
    new Promise<readonly RenewalOutcome[]>((resolve, reject) => {
      calls.push({
        at: performance.now(),
        names: items.map((item) => item.name),
        answer: async (...outcomes) => {
          resolve(outcomes)
          await letRepliesArrive()
        },
        fail: async (error) => {
          reject(error)
          await letRepliesArrive()
        },
      })
    })
  return { calls, renew }
}

function autoRenew(outcome: RenewalOutcome = 'renewed'): {
  calls: { at: number; names: string[] }[]
  renew: WatchdogOptions<Item>['renew']
} {
  const calls: { at: number; names: string[] }[] = []
  const renew = (items: readonly Item[]) => {
    calls.push({ at: performance.now(), names: items.map((item) => item.name) })
    return Promise.resolve(items.map(() => outcome))
  }
  return { calls, renew }
}

function callAt<C>(calls: readonly C[], index: number): C {
  const call = calls[index]
  if (call === undefined) throw new Error(`there were ${calls.length} calls of renew, none at ${index}`)
  return call
}

/** Lets `ms` pass without any timer firing, as when something blocks the event loop. */
function stallEventLoop(ms: number): void {
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

let start: number
const elapsed = (at: number) => at - start

beforeEach(() => {
  jest.useFakeTimers()
  start = performance.now()
})

afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

describe('the period', () => {
  it('renews an item one period after it was added, and again one period after each sending', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
    await jest.advanceTimersByTimeAsync(3_500)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000, 2_000, 3_000])
  })

  it('counts the next period from the sending, not from the answer', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
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
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    item.onSettle = () => (item.renewEveryMs = 200)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_400)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000, 1_200, 1_400])
  })

  it('does not renew an item without a period, but watches its deadline', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a', null)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(4_000)
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('treats adding an item twice as rescheduling it', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
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
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
    watchdog.add(new Item('other', 1_000, 3_000, 'another group'))
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
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
    watchdog.add(new Item('b', null, 970))
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([1_000])
  })

  it('makes one call per group, all at once', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a', 1_000, 3_000, 'left'))
    watchdog.add(new Item('b', 1_000, 3_000, 'right'))
    watchdog.add(new Item('c', 1_000, 3_000, 'left'))
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => call.names)).toEqual([['a', 'c'], ['b']])
  })

  it('splits a group into batches of at most maxBatch', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew, maxBatch: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) watchdog.add(new Item(name))
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => call.names.length)).toEqual([2, 2, 1])
    expect(calls.flatMap((call) => call.names).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
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
    const { renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    const expiredAt: number[] = []
    item.onExpire = () => {
      expiredAt.push(elapsed(performance.now()))
      expect(watchdog.has(item)).toBe(false)
    }
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(expiredAt).toEqual([3_000])
    expect(watchdog.size).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('expires no later than the deadline even when it falls between two whole milliseconds', async () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    const item = new Item('a', null, 100.7)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(99)
    expect(item.log).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(item.log).toEqual(['expired'])
  })

  it('follows a deadline that the item moved in settle', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_500)
    await callAt(calls, 0).answer('renewed')
    await jest.advanceTimersByTimeAsync(2_499)
    expect(item.log).toEqual(['renewed'])
    await jest.advanceTimersByTimeAsync(1)
    expect(item.log).toEqual(['renewed', 'expired'])
  })

  it('does not expire an item whose deadline was moved ahead without a reschedule()', async () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    const item = new Item('a', null)
    watchdog.add(item)
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
    const { renew } = autoRenew('lost')
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    item.onSettle = () => expect(watchdog.has(item)).toBe(false)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(item.log).toEqual(['lost'])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('retries an unknown outcome after a quarter of the period', async () => {
    const { calls, renew } = autoRenew('unknown')
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a', 400))
    await jest.advanceTimersByTimeAsync(600)
    expect(calls.map((call) => elapsed(call.at))).toEqual([400, 500, 600])
  })

  it('retries no later than after 250 ms and no sooner than after 20 ms', async () => {
    const { calls, renew } = autoRenew('unknown')
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('slow', 10_000, 30_000))
    watchdog.add(new Item('fast', 8, 60))
    await jest.advanceTimersByTimeAsync(10_500)
    const sentAt = (name: string) =>
      calls.filter((call) => call.names.includes(name)).map((call) => elapsed(call.at))
    expect(sentAt('fast')).toEqual([8, 28, 48])
    expect(sentAt('slow')).toEqual([10_000, 10_250, 10_500])
  })

  it('does not retry an item that lost its period in the meantime', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    item.renewEveryMs = null
    await callAt(calls, 0).answer('unknown')
    await jest.advanceTimersByTimeAsync(2_000)
    expect(calls).toHaveLength(1)
    expect(item.log).toEqual(['unknown', 'expired'])
  })

  it('returns to the period once a retry succeeded', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
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

describe('renewNow', () => {
  it('renews everything before it returns, also items without a period', () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
    watchdog.add(new Item('b', null))
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
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a', null))
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
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a', null, 10_000))
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
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    watchdog.add(new Item('a'))
    await jest.advanceTimersByTimeAsync(600)
    watchdog.renewNow()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls.map((call) => elapsed(call.at))).toEqual([600, 1_600])
  })

  it('expires an item that is past its deadline instead of renewing it', () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    stallEventLoop(5_000)
    watchdog.renewNow()
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('called from every settle does not turn into a busy loop', async () => {
    const { calls, renew } = autoRenew('unknown')
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a', null, 100)
    item.onSettle = () => watchdog.renewNow()
    watchdog.add(item)
    watchdog.renewNow()
    await jest.advanceTimersByTimeAsync(200)
    expect(calls.map((call) => elapsed(call.at))).toEqual([0, 20, 40, 60, 80])
    expect(item.log.at(-1)).toBe('expired')
  })
})

describe('reschedule', () => {
  it('follows a shorter period', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    item.renewEveryMs = 300
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(300)
    expect(calls).toHaveLength(1)
  })

  it('starts a period from the adding, so that a period that has passed means at once', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a', null, 10_000)
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(5_000)
    item.renewEveryMs = 1_000
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(1)
  })

  it('ends a period', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    item.renewEveryMs = null
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(calls).toEqual([])
    expect(item.log).toEqual(['expired'])
  })

  it('follows an earlier deadline', async () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    const item = new Item('a', null)
    watchdog.add(item)
    item.deadlineAt -= 2_000
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(item.log).toEqual(['expired'])
  })

  it('leaves a pending retry where it is', async () => {
    const { calls, renew } = autoRenew('unknown')
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(249)
    expect(calls).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(calls).toHaveLength(2)
  })

  it('does not send a second renewal beside one in flight', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    item.renewEveryMs = 10
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(500)
    expect(calls).toHaveLength(1)
  })
})

describe('a late reply', () => {
  it('changes nothing after delete', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(watchdog.delete(item)).toBe(true)
    expect(watchdog.delete(item)).toBe(false)
    await callAt(calls, 0).answer('lost')
    expect(item.log).toEqual([])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('changes nothing for the same item added again', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    watchdog.delete(item)
    watchdog.add(item)
    await callAt(calls, 0).answer('lost')
    expect(item.log).toEqual([])
    expect(watchdog.has(item)).toBe(true)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(calls).toHaveLength(2)
  })

  it('changes nothing after the deadline', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(3_000)
    await callAt(calls, 0).answer('renewed')
    expect(item.log).toEqual(['expired'])
  })

  it('that overtakes the timer after a stall expires the item instead of reviving it', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    stallEventLoop(5_000)
    await callAt(calls, 0).answer('renewed')
    expect(item.log).toEqual(['expired'])
    expect(watchdog.size).toBe(0)
  })

  it('takes an item only when no other watchdog has it', () => {
    const [one, other] = [new Watchdog<Item>(autoRenew()), new Watchdog<Item>(autoRenew())]
    const item = new Item('shared')
    one.add(item)
    expect(() => other.add(item)).toThrow('watched by another watchdog')
    expect([one.has(item), other.has(item), other.delete(item)]).toEqual([true, false, false])
    one.delete(item)
    other.add(item)
    expect([one.has(item), other.has(item)]).toEqual([false, true])
    other.close()
  })

  it('changes nothing after close', async () => {
    const { calls, renew } = manualRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    watchdog.close()
    await callAt(calls, 0).answer('renewed')
    expect(item.log).toEqual([])
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('close', () => {
  it('stops the timer, forgets all items, may be repeated, and refuses new ones', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const item = new Item('a')
    watchdog.add(item)
    watchdog.close()
    watchdog.close()
    expect(jest.getTimerCount()).toBe(0)
    expect(watchdog.size).toBe(0)
    expect(() => watchdog.add(item)).toThrow('The watchdog is closed')
    watchdog.renewNow()
    watchdog.reschedule(item)
    await jest.advanceTimersByTimeAsync(5_000)
    expect(calls).toEqual([])
    expect(item.log).toEqual([])
  })

  it('from within an expiry spares the items that would have been next', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const first = new Item('a', null)
    const second = new Item('b', null)
    first.onExpire = () => watchdog.close()
    watchdog.add(first)
    watchdog.add(second)
    watchdog.add(new Item('c', 3_000, 9_000))
    await jest.advanceTimersByTimeAsync(5_000)
    expect(first.log).toEqual(['expired'])
    expect(second.log).toEqual([])
    expect(calls).toEqual([])
  })
})

describe('callbacks that throw', () => {
  it('are reported and stop no other item', async () => {
    const errors: unknown[] = []
    const { renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew, onError: (error) => errors.push(error) })
    const rude = new Item('rude')
    const dying = new Item('dying', null, 500)
    const polite = new Item('polite')
    rude.onSettle = () => {
      throw new Error('settle failed')
    }
    dying.onExpire = () => {
      throw new Error('expire failed')
    }
    for (const item of [rude, dying, polite]) watchdog.add(item)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(errors).toEqual([
      new Error('expire failed'),
      new Error('settle failed'),
      new Error('settle failed'),
    ])
    expect(polite.log).toEqual(['renewed', 'renewed'])
    expect(rude.log).toEqual(['renewed', 'renewed'])
  })

  it('include renew itself, whose items are then unknown', async () => {
    const errors: unknown[] = []
    const watchdog = new Watchdog<Item>({
      renew: () => {
        throw new Error('renew failed')
      },
      onError: (error) => errors.push(error),
    })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(errors).toEqual([new Error('renew failed')])
    expect(item.log).toEqual(['unknown'])
  })

  it('include onError itself', async () => {
    const watchdog = new Watchdog<Item>({
      renew: () => Promise.reject(new Error('renew failed')),
      onError: () => {
        throw new Error('onError failed')
      },
    })
    const item = new Item('a')
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(3_000)
    expect(item.log.at(-1)).toBe('expired')
  })

  it('may delete and add items from within, and only those still watched are renewed', async () => {
    const { calls, renew } = autoRenew()
    const watchdog = new Watchdog<Item>({ renew })
    const deleted = new Item('deleted')
    const added = new Item('added', 1_000, 30_000)
    const dying = new Item('dying', null, 1_000)
    dying.onExpire = () => {
      watchdog.delete(deleted)
      watchdog.add(added)
      watchdog.renewNow()
    }
    for (const item of [deleted, dying, new Item('other')]) watchdog.add(item)
    await jest.advanceTimersByTimeAsync(1_000)
    expect(dying.log).toEqual(['expired'])
    expect(deleted.log).toEqual([])
    expect(calls.map((call) => [...call.names].sort())).toEqual([['added', 'other']])
  })

  it('may add an expired item again without being called in a circle', async () => {
    const watchdog = new Watchdog<Item>(autoRenew())
    const item = new Item('a', null, 100)
    let added = 0
    item.onExpire = () => {
      added += 1
      if (added < 3) watchdog.add(item)
    }
    watchdog.add(item)
    await jest.advanceTimersByTimeAsync(100)
    expect(item.log).toEqual(['expired'])
    await jest.advanceTimersByTimeAsync(2)
    expect(item.log).toEqual(['expired', 'expired', 'expired'])
  })
})

it('does not keep the process alive', () => {
  jest.useRealTimers()
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = countTimers()
  const watchdog = new Watchdog<Item>(autoRenew())
  watchdog.add(new Item('a'))
  const after = countTimers()
  watchdog.close()
  expect(after).toBe(before)
})

describe('the clock', () => {
  it('is the one given, for renewals and for deadlines', async () => {
    let nowMs = 5_000
    const renewed: number[] = []
    const expired: number[] = []
    const watchdog = new Watchdog<Renewable>({
      now: () => nowMs,
      renew: (items) => {
        renewed.push(nowMs)
        return Promise.resolve(items.map(() => 'unknown' as const))
      },
    })
    const item = {
      group: '',
      renewEveryMs: 1_000,
      deadlineAt: 8_000,
      settle() {},
      expire: () => expired.push(nowMs),
    }
    watchdog.add(item)
    nowMs = 6_000
    await jest.advanceTimersByTimeAsync(1_000)
    expect(renewed).toEqual([6_000])
    nowMs = 8_000
    await jest.advanceTimersByTimeAsync(2_000)
    expect(expired).toEqual([8_000])
    watchdog.close()
  })
})
