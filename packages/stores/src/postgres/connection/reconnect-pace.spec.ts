import { pauseMs } from './reconnect-pace.js'

/** The pauses until an outage of that length is over, each as long as it may be. */
function longestPauses(untilMs: number): number[] {
  const pauses: number[] = []
  for (let outageMs = 0; outageMs < untilMs; outageMs += pauses.at(-1) ?? 0) {
    pauses.push(pauseMs(pauses.length + 1, outageMs, 1))
  }
  return pauses
}

describe('pauses between attempts to connect', () => {
  it('stay short early in an outage', () =>
    expect(longestPauses(1_000)).toEqual([50, 100, 200, 250, 250, 250]))

  it('grow with the outage, up to two seconds', () => {
    expect(Math.max(...longestPauses(4_000))).toBeLessThanOrEqual(500)
    expect([8_000, 16_000, 3_600_000, Infinity].map((outageMs) => pauseMs(1_000, outageMs, 1))).toEqual([
      1_000, 2_000, 2_000, 2_000,
    ])
  })

  it('are so many in all that a server is not flooded', () => {
    expect(longestPauses(2_000).length).toBeLessThanOrEqual(10)
    expect(longestPauses(60_000).length).toBeLessThanOrEqual(55)
  })
})
