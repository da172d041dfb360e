import { UnavailableError } from './errors.js'
import { StoreSilence } from '../waiting/readiness.js'

let silence: StoreSilence

beforeEach(() => {
  jest.useFakeTimers()
  silence = new StoreSilence({ doubt: undefined })
})

afterEach(() => {
  jest.useRealTimers()
})

/** A reply that takes so long. */
function reply(ms: number): void {
  const sentAt = silence.sent()
  jest.advanceTimersByTime(ms)
  silence.replied(sentAt)
}

/** Whether a request that got no reply for so long shows an outage. */
function isOutageAfter(ms: number): boolean {
  const sentAt = silence.sent()
  jest.advanceTimersByTime(ms)
  return silence.isOutage(sentAt)
}

it('a request that goes unanswered for less than a tenth of a second shows no outage', () => {
  expect(isOutageAfter(99)).toBe(false)
  expect(isOutageAfter(1)).toBe(true)
})

it('a store that is far away is given twice as long as its slowest reply of late', () => {
  reply(200)
  expect(isOutageAfter(399)).toBe(false)
  expect(isOutageAfter(1)).toBe(true)
})

it('before its first reply, how long the first checks took says how far away it is', () => {
  silence.preparing()
  jest.advanceTimersByTime(400)
  silence.replied()
  expect(isOutageAfter(399)).toBe(false)
  expect(isOutageAfter(1)).toBe(true)
})

it('what an engine answers without asking the store does not count as its pace', () => {
  reply(200)
  for (let i = 0; i < 100; i += 1) reply(0)
  expect(isOutageAfter(399)).toBe(false)
})

it('a slow reply counts for ten seconds', () => {
  reply(200)
  jest.advanceTimersByTime(10_000)
  reply(1)
  expect(isOutageAfter(100)).toBe(true)
})

it('replies to others show that the store is there, for a while', () => {
  const sentAt = silence.sent()
  for (let waitedMs = 0; waitedMs < 900; waitedMs += 50) {
    expect(silence.isOutage(sentAt)).toBe(false)
    reply(50)
  }
  for (let waitedMs = 900; waitedMs < 1_500; waitedMs += 50) reply(50)
  expect(silence.isOutage(sentAt)).toBe(true)
})

it('an error that the engine has reported since the last reply shows an outage', () => {
  reply(1)
  jest.advanceTimersByTime(1)
  silence.note(new UnavailableError('refused'))
  expect(isOutageAfter(0)).toBe(true)
  reply(1)
  expect(isOutageAfter(0)).toBe(false)
})
