import { UnavailableError } from '../errors/errors.js'
import { OutageReports } from './events.js'

let reported: [message: string, count: number][]
let reports: OutageReports

beforeEach(() => {
  jest.useFakeTimers()
  reported = []
  reports = new OutageReports(({ message }, count) => reported.push([message, count]))
})

afterEach(() => jest.useRealTimers())

const fail = (...messages: string[]): void => {
  for (const message of messages) reports.add(new UnavailableError(message))
}

it('the first error of an outage is reported at once', () => {
  fail('a')
  expect(reported).toEqual([['a', 1]])
})

it('those that follow are one report per second: the latest, with how many there were', () => {
  fail('a', 'b', 'c')
  jest.advanceTimersByTime(999)
  expect(reported).toEqual([['a', 1]])
  jest.advanceTimersByTime(1)
  fail('d', 'e')
  jest.advanceTimersByTime(1_000)
  expect(reported).toEqual([
    ['a', 1],
    ['c', 2],
    ['e', 2],
  ])
})

it('after a second without an error the next one is reported at once', () => {
  fail('a', 'b')
  jest.advanceTimersByTime(2_500)
  fail('c')
  expect(reported).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ])
})

it('closing reports what was held back, and leaves no timer', () => {
  fail('a', 'b', 'c')
  reports.close()
  expect(reported).toEqual([
    ['a', 1],
    ['c', 2],
  ])
  expect(jest.getTimerCount()).toBe(0)
})

it('an error in a listener of the report waits for the next one', () => {
  reports = new OutageReports(({ message }, count) => {
    reported.push([message, count])
    if (reported.length < 3) fail('again')
  })
  fail('a')
  jest.advanceTimersByTime(5_000)
  expect(reported).toEqual([
    ['a', 1],
    ['again', 1],
    ['again', 1],
  ])
})

it('errors are not held back when fake timers are removed', () => {
  jest.useFakeTimers()
  // Ahead of the real clock, which counts from the start of the process.
  jest.advanceTimersByTime(24 * 3_600_000)
  fail('a', 'b')
  jest.useRealTimers()
  fail('c')
  expect(reported).toEqual([
    ['a', 1],
    ['c', 2],
  ])
  reports.close()
})

it('errors are not held back when fake timers are installed', () => {
  jest.useRealTimers()
  fail('a', 'b')
  jest.useFakeTimers()
  fail('c')
  expect(reported).toEqual([
    ['a', 1],
    ['c', 2],
  ])
})
