import { KeySpace } from '../keys.js'
import { layoutWith } from './calls.js'
import { ReleaseWatch } from './peers.js'

const keepMs = 100
const keySpace = new KeySpace({ keyPrefix: '', prefix: '', groupOf: () => '', layout: layoutWith(undefined) })
const bare = keySpace.locate('t', 'lock')
const braced = keySpace.locate('{t}', 'lock')

let subscribed: string[]
let watch: ReleaseWatch

beforeEach(() => {
  jest.useFakeTimers()
  subscribed = []
  watch = new ReleaseWatch({
    keepMs,
    onMessage: () => undefined,
    channels: {
      subscribe: (channel) => Promise.resolve(void subscribed.push(channel)),
      unsubscribe: (channel) => Promise.resolve(void (subscribed = subscribed.filter((c) => c !== channel))),
      isSubscribed: (channel) => subscribed.includes(channel),
    },
  })
})

afterEach(() => {
  watch.close()
  jest.useRealTimers()
})

it('ends a subscription some time after the last waiter has left', () => {
  watch.enter(bare)
  watch.leave(bare)
  jest.advanceTimersByTime(keepMs - 1)
  expect(watch.isSubscribed(bare)).toBe(true)
  jest.advanceTimersByTime(1)
  expect(watch.isSubscribed(bare)).toBe(false)
})

it('keeps a channel of two locks as long as one of them has waiters', () => {
  watch.enter(bare)
  watch.enter(braced)
  watch.leave(bare)
  jest.advanceTimersByTime(10 * keepMs)
  expect(watch.isSubscribed(braced)).toBe(true)
  watch.leave(braced)
  jest.advanceTimersByTime(2 * keepMs)
  expect(subscribed).toEqual([])
})
