import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { handOffsIn, overtakersIn, type Visit } from '../src/hand-offs.js'

const run = promisify(execFile)
const bench = fileURLToPath(new URL('../dist/bench.js', import.meta.url))

const ms = 1_000
const window = { fromUs: 100 * ms, untilUs: 200 * ms }
const visit = (waiter: string, askedAtMs: number, enteredAtMs: number): Visit => ({
  waiter,
  askedAtUs: askedAtMs * ms,
  enteredAtUs: enteredAtMs * ms,
})

/** Three take turns, 10 ms each, from before the window until after it. */
const turns = Array.from({ length: 30 }, (_, n) => visit(String(n % 3), 10 * (n - 3), 10 * n))

describe('what a window shows', () => {
  it('waiters that take turns', () => {
    const seen = handOffsIn(turns, 3, window)
    expect(seen).toMatchObject({ usPerHandOff: 10 * ms, backToLeaverShare: 0, outOfOrder: 0 })
    expect(seen.longestWaitMs).toBe(30)
    expect(seen.jain).toBeCloseTo(100 / (3 * (16 + 9 + 9)))
  })

  it('one that gets in again and again hands nothing over', () => {
    const greedy = Array.from({ length: 20 }, (_, n) => visit('greedy', 10 * n, 10 * n + 1))
    const seen = handOffsIn([...greedy, visit('starved', -450, 300)], 2, window)
    expect(seen).toMatchObject({ usPerHandOff: 100 * ms, backToLeaverShare: 1, jain: 0.5 })
    // It is still waiting at the end of the window.
    expect(seen.longestWaitMs).toBe(650)
    expect(seen.outOfOrder).toBe(10)
  })

  it('nobody at all', () => {
    expect(handOffsIn([], 2, window)).toMatchObject({ usPerHandOff: 100 * ms, jain: 0 })
  })
})

it('whoever asked only just before may still have been behind on the way to the server', () => {
  const waiting = [visit('a', -20, -10), visit('a', 0, 60)]
  expect(overtakersIn([...waiting, visit('b', 9, 50)].sort(byEntry))).toEqual([])
  const overtaker = visit('b', 11, 50)
  expect(overtakersIn([...waiting, overtaker].sort(byEntry))).toEqual([overtaker])
})

it('at the start, when all ask at once, that takes longer', () => {
  const waiting = visit('a', 0, 600)
  expect(overtakersIn([visit('b', 499, 550), waiting])).toEqual([])
  const overtaker = visit('b', 501, 550)
  expect(overtakersIn([overtaker, waiting])).toEqual([overtaker])
})

const byEntry = (a: Visit, b: Visit): number => a.enteredAtUs - b.enteredAtUs

it.each(['hand-off', 'delayed-hand-off', 'fairness'])(
  'the scenario %s measures the floor and Holdfast',
  async (scenario) => {
    const { stdout } = await run(process.execPath, [
      bench,
      ...['--scenario', scenario, '--with', 'holdfast', '--rounds', '1', '--trial'],
    ])
    expect(stdout).toContain('| hand-off by hand |')
    expect(stdout).toContain('| Holdfast')
  },
  60_000,
)
