import { deadlineOfAnswer } from './deadline.js'
import { Term } from './lease-clock.js'

const at = (monotonicMs: number) => ({ monotonicMs, wallMs: 1_700_000_000_000 + monotonicMs })

/** Asked at 1000, answered at 1100, for 30 s. */
const term = () =>
  new Term(
    { askedAt: at(1_000), grantedAt: 1_000, deadlineAt: deadlineOfAnswer(1_000, 30_000), leaseMs: 30_000 },
    1_100,
  )

describe('the term of a hold', () => {
  it('ends where the answer said until a later command is answered', () => {
    const hold = term()
    expect(hold.deadlineAt).toBe(deadlineOfAnswer(1_000, 30_000))
    hold.prove(at(11_000), 30_000)
    expect(hold.deadlineAt).toBe(deadlineOfAnswer(11_000, 30_000))
    expect(hold.provenAt).toEqual(at(11_000))
  })

  it('is not shortened by the answer to a command with a shorter lease', () => {
    const hold = term()
    hold.prove(at(2_000), 1)
    expect(hold.deadlineAt).toBe(deadlineOfAnswer(1_000, 30_000))
    expect(hold.leaseMs).toBe(30_000)
    expect(hold.reaches(31_000)).toBe(true)
  })

  it('is not lengthened by a command that was only sent', () => {
    const hold = term()
    hold.sending(60_000, Infinity, 5_000)
    expect(hold.deadlineAt).toBe(deadlineOfAnswer(1_000, 30_000))
    expect(hold.reaches(40_000)).toBe(false)
  })

  it('reaches a brake that the lease of an answered command covers, to the millisecond', () => {
    const hold = term()
    expect(hold.reaches(31_001)).toBe(true)
    expect(hold.reaches(31_002)).toBe(false)
    hold.prove(at(2_000), 30_000)
    expect(hold.reaches(31_002)).toBe(true)
  })

  it('never asks for more than the brake leaves, and for 1 ms where it leaves nothing', () => {
    const hold = term()
    expect(hold.sending(30_000, Infinity, 2_000)).toBe(30_000)
    expect(hold.sending(30_000, 12_000.5, 2_000)).toBe(10_000)
    expect(hold.sending(30_000, 2_000, 2_000)).toBe(1)
    expect(hold.sending(30_000, 1_000, 2_000)).toBe(1)
  })

  it('may last as long as the longest lease that was sent, answered or not', () => {
    const hold = term()
    expect(hold.mayLastMs(1_100)).toBe(30_000)
    hold.sending(60_000, Infinity, 5_000)
    expect(hold.mayLastMs(5_000)).toBe(60_000)
    hold.sending(100, Infinity, 6_000)
    expect(hold.mayLastMs(6_000)).toBe(59_000)
    expect(hold.mayLastMs(65_001)).toBe(0)
  })

  it('counts what Redis keeps from the grant where that came after the ask', () => {
    const granted = { askedAt: at(1_000), grantedAt: 4_000, deadlineAt: 33_000, leaseMs: 30_000 }
    const hold = new Term(granted, 4_000)
    expect(hold.reaches(34_001)).toBe(true)
    expect(hold.reaches(34_002)).toBe(false)
  })
})
