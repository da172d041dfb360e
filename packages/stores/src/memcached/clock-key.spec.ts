import { ageMs, carriedS, clockText, farAway, newDataId, opensInMs, readClock } from './clock-key.js'

const ofData = { id: 'data', madeS: 100, closedS: 30, leaseS: 60 }

describe('the clock key', () => {
  it('tells the time by what it has left, and all else by what it says', () => {
    const clock = { ...ofData, id: newDataId(), madeS: 1_800_000_000 }
    const nowS = 1_800_000_007
    expect(readClock(clockText(clock), farAway - nowS)).toEqual({ ...clock, nowS })
    expect(readClock(clockText(clock), 1)?.id).toMatch(/^[\w-]{16}$/)
  })

  it('is another each time it is made', () => {
    expect(newDataId()).not.toBe(newDataId())
  })

  it.each([
    ['', 9],
    ['value of another application', 9],
    ['2147483647 id', 9],
    ['2147483647 id 5', 9],
    ['2147483647 id 5 3 3', -1],
    ['2147483647 id 5 3 3', NaN],
  ])('is not %j with %i s left', (text, leftS) => expect(readClock(text, leftS)).toBeUndefined())

  it('keeps the door closed for the time it says, and two seconds by which readings may be wrong', () => {
    const at = (nowS: number): number => opensInMs({ ...ofData, nowS })
    expect([100, 131, 132, 999].map(at)).toEqual([32_000, 1_000, 0, 0])
  })

  it('has other data closed for the longest lease, and for what was to be closed if it had not opened', () => {
    const after = (nowS: number, leaseS: number): number => carriedS({ ...ofData, nowS, leaseS })
    expect([after(999, 60), after(999, 5), after(131, 5), after(132, 5)]).toEqual([60, 5, 30, 5])
  })

  it('says an age that is rather too short', () => {
    expect([100, 101, 102].map((nowS) => ageMs({ nowS, madeS: 100 }))).toEqual([0, 0, 1_000])
  })
})
