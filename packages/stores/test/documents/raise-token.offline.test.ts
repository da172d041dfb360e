import { freeLock, lockSteps, type LockState } from '../../src/documents/steps/index.js'

const nowUs = 1_700_000_000_000_000

const raise = (state: LockState, token: number, keepMs: number): void =>
  lockSteps.raiseToken(state, { token, keepMs, engine: 'test' }, nowUs)

it('a token is never lowered, and is kept for the longest time that was asked for', () => {
  const state = freeLock()
  raise(state, nowUs + 5, 10_000)
  expect(state.fence).toEqual({ token: nowUs + 5, untilUs: nowUs + 10_000_000 })
  raise(state, nowUs + 3, 5_000)
  expect(state.fence).toEqual({ token: nowUs + 5, untilUs: nowUs + 10_000_000 })
  raise(state, nowUs + 7, 20_000)
  expect(state.fence).toEqual({ token: nowUs + 7, untilUs: nowUs + 20_000_000 })
})

it('a token that is more than a day ahead of the clock is refused', () => {
  const state = freeLock()
  expect(() => raise(state, nowUs + 86_400_000_001, 10_000)).toThrow('more than a day ahead')
  expect(state.fence).toBeNull()
})
