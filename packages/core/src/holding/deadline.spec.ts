import { deadlineOfAnswer, driftMs, placeGrant } from './deadline.js'
import type { GrantTimes } from './deadline.js'

const place = (times: Partial<GrantTimes>) =>
  placeGrant({
    askSentAt: 1_000,
    askServerUs: 5_000_000,
    grantServerUs: 5_000_000,
    receivedAt: 100_000,
    leaseMs: 10_000,
    ...times,
  })

const grant = (times: Partial<GrantTimes>): number | undefined => place(times)?.deadlineAt

describe('the drift', () => {
  it.each([
    [100, 3],
    [30_000, 302],
    [0, 2],
  ])('of a lease of %i ms is 1 %% and 2 ms more: %i ms', (leaseMs, drift) => {
    expect(driftMs(leaseMs)).toBe(drift)
  })
})

describe('the deadline of an answered command', () => {
  it('is one lease after the sending, less the drift', () => {
    expect(deadlineOfAnswer(1_000, 30_000)).toBe(1_000 + 30_000 - 302)
  })

  it('comes before the sending and the lease together, however short the lease', () => {
    expect(deadlineOfAnswer(1_000, 1)).toBeLessThan(1_001)
  })
})

describe('the deadline of a grant', () => {
  it('counts from the ask when the grant came at the very time of its answer', () => {
    expect(grant({})).toBe(deadlineOfAnswer(1_000, 10_000))
  })

  it('carries the time between ask and grant over from the clock of the server, less 1 % of it', () => {
    expect(grant({ grantServerUs: 9_000_000 })).toBe(deadlineOfAnswer(1_000 + 4_000, 10_000) - 40)
  })

  it('counts from the arrival of the notice when that was earlier than the clock of the server says', () => {
    expect(grant({ grantServerUs: 9_000_000, receivedAt: 4_500 })).toBe(deadlineOfAnswer(4_500, 10_000) - 40)
  })

  it('cannot be told when the grant is older than the ask', () => {
    expect(place({ grantServerUs: 4_999_999 })).toBeNull()
  })

  it('goes with the instant of the grant itself', () => {
    expect(place({ grantServerUs: 9_000_000 })?.grantedAt).toBe(5_000)
    expect(place({ grantServerUs: 9_000_000, receivedAt: 4_500 })?.grantedAt).toBe(4_500)
  })

  it('may have passed already', () => {
    expect(grant({ askSentAt: -50_000 })).toBeLessThan(0)
  })
})
