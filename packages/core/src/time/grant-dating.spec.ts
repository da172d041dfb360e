import { dateGrant, dateNotice, deadlineOfReply } from './time.js'
import type { GrantTimes } from './time.js'

const marginMs = 2

const dated = (times: Partial<GrantTimes>) =>
  dateGrant(
    {
      requestSentAt: 1_000,
      requestServerUs: 5_000_000,
      grantServerUs: 5_000_000,
      receivedAt: 100_000,
      leaseMs: 10_000,
      ...times,
    },
    marginMs,
  )

const grant = (times: Partial<GrantTimes>): number | undefined => dated(times)?.deadlineAt

describe('the deadline of a grant', () => {
  it('counts from the request when the grant came at the very time of its reply', () =>
    expect(grant({})).toBe(deadlineOfReply(1_000, 10_000, marginMs)))

  it('carries the time between request and grant over from the clock of the store, less 1 % of it', () =>
    expect(grant({ grantServerUs: 9_000_000 })).toBe(deadlineOfReply(1_000 + 4_000, 10_000, marginMs) - 40))

  it('counts from the arrival of the notification when that was earlier than the clock of the store says', () =>
    expect(grant({ grantServerUs: 9_000_000, receivedAt: 4_500 })).toBe(
      deadlineOfReply(4_500, 10_000, marginMs) - 40,
    ))

  it('is unknown when the grant is older than the request', () =>
    expect(dated({ grantServerUs: 4_999_999 })).toBeNull())

  it('comes with the instant of the grant itself', () => {
    expect(dated({ grantServerUs: 9_000_000 })?.grantedAt).toBe(5_000)
    expect(dated({ grantServerUs: 9_000_000, receivedAt: 4_500 })?.grantedAt).toBe(4_500)
  })

  it('is counted from the instant that the session gives, or from the arrival if that came first', () => {
    const notice = { grantedAt: 4_000 }
    const at = (receivedAt: number) => dateNotice(notice, 10_000, undefined, receivedAt, marginMs)
    expect(at(4_500)).toEqual({ grantedAt: 4_000, deadlineAt: deadlineOfReply(4_000, 10_000, marginMs) })
    expect(at(3_000)?.grantedAt).toBe(3_000)
  })

  it('may have passed already', () => expect(grant({ requestSentAt: -50_000 })).toBeLessThan(0))
})
