import { deadlineOfReply, driftMs } from './time.js'

describe('the drift', () =>
  it.each([
    [100, 3],
    [30_000, 302],
    [0, 2],
  ])('of a lease of %i ms is 1 %% and the margin of the engine, here 2 ms: %i ms', (leaseMs, drift) =>
    expect(driftMs(leaseMs, 2)).toBe(drift),
  ))

describe('the deadline of a command that got a reply', () => {
  it('is one lease after the sending, less the drift', () =>
    expect(deadlineOfReply(1_000, 30_000, 2)).toBe(1_000 + 30_000 - 302))

  it('comes before the sending and the lease together, however short the lease', () =>
    expect(deadlineOfReply(1_000, 1, 2)).toBeLessThan(1_001))
})
