import {
  autoRenew,
  callAt,
  Item,
  manualRenew,
  stallEventLoop,
  useFakeClock,
  watching,
} from '../test/support/items.js'
import type { Renewable } from './watchdog.js'
import { Watchdog } from './watchdog.js'

useFakeClock()

describe('a late reply', () => {
  it('changes nothing after delete', async () => {
    const { calls, watchdog, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_000)
    expect(watchdog.delete(item)).toBe(true)
    expect(watchdog.delete(item)).toBe(false)
    await callAt(calls, 0).answer('lost')
    expect(item.log).toEqual([])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('changes nothing for the same item added again', async () => {
    const { calls, watchdog, item } = watching(manualRenew())
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
    const { calls, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(3_000)
    await callAt(calls, 0).answer('renewed')
    expect(item.log).toEqual(['expired'])
  })

  it('that overtakes the timer after a stall expires the item instead of reviving it', async () => {
    const { calls, watchdog, item } = watching(manualRenew())
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
    const { calls, watchdog, item } = watching(manualRenew())
    await jest.advanceTimersByTimeAsync(1_000)
    watchdog.close()
    await callAt(calls, 0).answer('renewed')
    expect(item.log).toEqual([])
    expect(jest.getTimerCount()).toBe(0)
  })
})

describe('close', () => {
  it('stops the timer, forgets all items, may be repeated, and refuses new ones', async () => {
    const { calls, watchdog, item } = watching(autoRenew())
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
    const watchdog = new Watchdog<Item>({ ...autoRenew(), onError: (error) => errors.push(error) })
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
    const { watchdog, item } = watching(autoRenew(), new Item('a', null, 100))
    let added = 0
    item.onExpire = () => {
      added += 1
      if (added < 3) watchdog.add(item)
    }
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
