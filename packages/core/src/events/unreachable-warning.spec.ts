import { UnavailableError } from '../errors/errors.js'
import { UnreachableWarning } from './events.js'

let warnings: string[]
let warning: UnreachableWarning

beforeEach(() => {
  jest.useFakeTimers()
  warnings = []
  jest.spyOn(process, 'emitWarning').mockImplementation((text) => void warnings.push(String(text)))
  warning = new UnreachableWarning()
})

afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

const fail = (message: string): void => warning.note(new UnavailableError(message))

it('a store that was never reached causes one warning, at once', () => {
  fail('first')
  fail('second')
  jest.advanceTimersByTime(60_000)
  fail('third')
  expect(warnings).toEqual([expect.stringMatching(/^first\. .*listen to the client's 'error' event/)])
})

it('once the store was reached, a short break causes no warning', () => {
  warning.reached()
  fail('a break')
  jest.advanceTimersByTime(1_900)
  fail('still down')
  warning.reached()
  jest.advanceTimersByTime(60_000)
  fail('another break')
  expect(warnings).toEqual([])
})

it('each outage that lasts causes one warning', () => {
  for (const outage of ['one', 'two']) {
    warning.reached()
    fail(`${outage} begins`)
    for (let failures = 0; failures < 5; failures++) {
      jest.advanceTimersByTime(1_000)
      fail(`${outage} goes on`)
    }
  }
  expect(warnings).toEqual([expect.stringMatching(/^one goes on/), expect.stringMatching(/^two goes on/)])
})
