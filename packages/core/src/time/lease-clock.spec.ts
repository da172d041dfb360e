import { deadlineOfReply, LeaseClock } from './time.js'

const at = (monotonicMs: number) => ({ monotonicMs, wallMs: 1_700_000_000_000 + monotonicMs })

/** Requested at 1000, answered at 1100, for 30 s. */
const leaseClock = () =>
  new LeaseClock(
    {
      requestedAt: at(1_000),
      grantedAt: 1_000,
      deadlineAt: deadlineOfReply(1_000, 30_000, 2),
      leaseMs: 30_000,
    },
    2,
    1_100,
  )

describe('the clock of a lease', () => {
  it('ends where the reply said until a later command is answered', () => {
    const clock = leaseClock()
    expect(clock.deadlineAt).toBe(deadlineOfReply(1_000, 30_000, 2))
    clock.prove(at(11_000), 30_000)
    expect(clock.deadlineAt).toBe(deadlineOfReply(11_000, 30_000, 2))
    expect(clock.provenAt).toEqual(at(11_000))
  })

  it('is not shortened by the reply to a command with a shorter lease', () => {
    const clock = leaseClock()
    clock.prove(at(2_000), 1)
    expect(clock.deadlineAt).toBe(deadlineOfReply(1_000, 30_000, 2))
    expect(clock.leaseMs).toBe(30_000)
    expect(clock.reaches(31_000)).toBe(true)
  })

  it('is not lengthened by a command that was only sent', () => {
    const clock = leaseClock()
    clock.sending(60_000, Infinity, 5_000)
    expect(clock.deadlineAt).toBe(deadlineOfReply(1_000, 30_000, 2))
    expect(clock.reaches(40_000)).toBe(false)
  })

  describe('after a suspend of 15 s', () => {
    const slept = (monotonicMs: number) => ({ monotonicMs, wallMs: at(monotonicMs).wallMs + 15_000 })

    it('ends so much sooner than what was proven before said, as at the store', () => {
      const clock = leaseClock()
      clock.prove(slept(2_000), 1)
      expect(clock.deadlineAt).toBe(deadlineOfReply(1_000, 30_000, 2) - 15_000)
      expect(clock.reaches(16_001)).toBe(true)
      expect(clock.reaches(16_002)).toBe(false)
      clock.prove(slept(3_000), 1)
      expect(clock.deadlineAt).toBe(deadlineOfReply(1_000, 30_000, 2) - 15_000)
    })

    it('counts what is proven from then on in full', () => {
      const clock = leaseClock()
      clock.prove(slept(2_000), 30_000)
      expect(clock.deadlineAt).toBe(deadlineOfReply(2_000, 30_000, 2))
    })

    it('counts a command from before it that is answered late from before it', () => {
      const clock = leaseClock()
      clock.prove(slept(2_000), 1)
      clock.prove(at(1_500), 60_000)
      expect(clock.deadlineAt).toBe(deadlineOfReply(1_500, 60_000, 2) - 15_000)
      expect(clock.provenAt).toEqual(slept(2_000))
    })
  })

  it('reaches a limit that the lease of an answered command covers, to the millisecond', () => {
    const clock = leaseClock()
    expect(clock.reaches(31_001)).toBe(true)
    expect(clock.reaches(31_002)).toBe(false)
    clock.prove(at(2_000), 30_000)
    expect(clock.reaches(31_002)).toBe(true)
  })

  it('never requests more than the limit leaves, and for 1 ms where it leaves nothing', () => {
    const clock = leaseClock()
    expect(clock.sending(30_000, Infinity, 2_000)).toBe(30_000)
    expect(clock.sending(30_000, 12_000.5, 2_000)).toBe(10_000)
    expect(clock.sending(30_000, 2_000, 2_000)).toBe(1)
    expect(clock.sending(30_000, 1_000, 2_000)).toBe(1)
  })

  it('may last as long as the longest lease that was sent, answered or not', () => {
    const clock = leaseClock()
    expect(clock.mayLastMs(1_100)).toBe(30_000)
    clock.sending(60_000, Infinity, 5_000)
    expect(clock.mayLastMs(5_000)).toBe(60_000)
    clock.sending(100, Infinity, 6_000)
    expect(clock.mayLastMs(6_000)).toBe(59_000)
    expect(clock.mayLastMs(65_001)).toBe(0)
  })

  it('counts what the store keeps from the grant where that came after the request', () => {
    const granted = { requestedAt: at(1_000), grantedAt: 4_000, deadlineAt: 33_000, leaseMs: 30_000 }
    const clock = new LeaseClock(granted, 2, 4_000)
    expect(clock.reaches(34_001)).toBe(true)
    expect(clock.reaches(34_002)).toBe(false)
  })
})
