import { StoreClock } from './clock.js'

afterEach(() => jest.useRealTimers())

/** Milliseconds on the clock while `action` runs. */
function passing(clock: StoreClock, action: () => void): number {
  const beforeUs = clock.nowUs()
  action()
  return (clock.nowUs() - beforeUs) / 1_000
}

const all = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const

it('follows fake timers', () => {
  jest.useFakeTimers()
  const clock = new StoreClock()
  expect(passing(clock, () => jest.advanceTimersByTime(1_000))).toBe(1_000)
})

it('follows fake timers that came after it', () => {
  const clock = new StoreClock()
  jest.useFakeTimers()
  clock.nowUs()
  expect(passing(clock, () => jest.advanceTimersByTime(1_000))).toBe(1_000)
})

it('follows timers that fake Date and leave performance alone, as those of node:test do', () => {
  jest.useFakeTimers({ doNotFake: [...all] })
  const clock = new StoreClock()
  expect(passing(clock, () => jest.advanceTimersByTime(1_000))).toBe(1_000)
})

it('does not stand still where only today’s date is faked', () => {
  jest.useFakeTimers({ doNotFake: [...all, 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const clock = new StoreClock()
  const until = performance.now() + 2
  const passed = passing(clock, () => {
    while (performance.now() < until);
  })
  expect(passed).toBeGreaterThan(0)
})

it.each([
  ['everything', []],
  ['Date but not performance', [...all]],
])('does not jump when timers that fake %s are installed or removed', (_, doNotFake) => {
  const clock = new StoreClock()
  const beforeUs = clock.nowUs()
  jest.useFakeTimers({ now: 4_000_000_000_000, doNotFake })
  expect(clock.nowUs()).toBe(beforeUs)
  jest.advanceTimersByTime(1_000)
  expect(clock.nowUs()).toBe(beforeUs + 1_000_000)
  jest.useRealTimers()
  expect(clock.nowUs()).toBe(beforeUs + 1_000_000)
})

it('never goes back, whatever date is set', () => {
  jest.useFakeTimers({ doNotFake: [...all] })
  const clock = new StoreClock()
  const beforeUs = clock.nowUs()
  jest.setSystemTime(0)
  expect(clock.nowUs()).toBe(beforeUs)
})

it('can be moved on by hand', () => {
  jest.useFakeTimers()
  const clock = new StoreClock()
  expect(passing(clock, () => clock.advance(1_500))).toBe(1_500)
})
