import { ageMs, farAway, newClockText, opensInMs, readClock } from './clock-key.js'

describe('the clock key', () => {
  it('tells the time by what it has left', () => {
    const text = newClockText(1_800_000_000)
    expect(readClock(text, farAway - 1_800_000_007)).toMatchObject({
      nowS: 1_800_000_007,
      madeS: 1_800_000_000,
    })
    expect(readClock(text, 1)?.id).toMatch(/^[\w-]{16}$/)
  })

  it('is another each time it is made', () => {
    expect(newClockText(5)).not.toBe(newClockText(5))
  })

  it.each([
    ['', 9],
    ['value of another application', 9],
    ['2147483647 id', 9],
    ['2147483647 id 5', -1],
    ['2147483647 id 5', NaN],
  ])('is not %j with %i s left', (text, leftS) => expect(readClock(text, leftS)).toBeUndefined())

  it('keeps the door closed for the grace and one second, counted in whole seconds', () => {
    const at = (nowS: number, graceMs: number): number => opensInMs({ nowS, id: '', madeS: 100 }, graceMs)
    expect([100, 103, 104, 999].map((nowS) => at(nowS, 3_000))).toEqual([4_000, 1_000, 0, 0])
    expect(at(100, 2_001)).toBe(4_000)
    expect(at(100, 0)).toBe(1_000)
  })

  it('says an age that is rather too short', () => {
    expect([100, 101, 102].map((nowS) => ageMs({ nowS, id: '', madeS: 100 }))).toEqual([0, 0, 1_000])
  })
})
