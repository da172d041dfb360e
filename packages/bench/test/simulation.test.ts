import { maxHandOffsPerS, simulateBus } from '../src/simulation/bus.js'
import type { Costs } from '../src/simulation/costs.js'
import { simulateFailOver } from '../src/simulation/fail-over.js'
import { simulateHandOff } from '../src/simulation/hand-off.js'
import { simulateRenewals } from '../src/simulation/renewals.js'
import { Simulator } from '../src/simulation/simulator.js'
import { Thread } from '../src/simulation/thread.js'

const costs: Costs = {
  linkUs: 10,
  redisAcquireUs: 20,
  redisAskUs: 20,
  redisReleaseUs: 20,
  redisHandOverUs: 40,
  redisSingleRenewalUs: 12,
  redisSharedRenewalUs: 2.02,
  redisRefreshUs: 3,
  redisUpkeepUs: 20,
  redisReconnectUs: 112,
  redisBusSendUs: 5,
  redisBusReceiveUs: 5,
  busBytes: 2_400,
  clientAskUs: 50,
  clientHandOverUs: 100,
  clientBeforeReleaseUs: 30,
  clientSharedRenewalUs: 1,
  clientSingleRenewalUs: 10,
  redisHoldBytes: 300,
  redisWaiterBytes: 250,
  redisClientBytes: 40_000,
}

describe('the simulator', () => {
  it('runs events in the order of their times, and within one instant in the order of scheduling', () => {
    const simulator = new Simulator()
    const seen: string[] = []
    simulator.after(2, () => seen.push(`late ${simulator.nowUs}`))
    simulator.after(1, () => simulator.after(1, () => seen.push(`later ${simulator.nowUs}`)))
    simulator.after(0, () => seen.push(`first ${simulator.nowUs}`))
    simulator.run()
    expect(seen).toEqual(['first 0', 'late 2', 'later 2'])
  })

  it('has a thread do one piece of work after another', () => {
    const simulator = new Simulator()
    const thread = new Thread(simulator)
    const doneAt: number[] = []
    for (const us of [3, 4]) thread.work(us, () => doneAt.push(simulator.nowUs))
    simulator.after(10, () => thread.work(5, () => doneAt.push(simulator.nowUs)))
    simulator.run()
    expect(doneAt).toEqual([3, 7, 15])
    expect(thread.busyUs).toBe(12)
  })
})

describe('a hand-off', () => {
  const settings = { waitersEach: 1, handOffs: 1_000, requestsAgain: true }

  it('between processes takes two ways, the release, and the work of the client before it', () => {
    const { usPerHandOff } = simulateHandOff(
      { ...settings, processes: 1_000, delayMs: 0, requestsAgain: false },
      costs,
    )
    expect(usPerHandOff).toBeCloseTo(10 + 30 + 10 + 40, -1)
  })

  it('takes two more delays with a distance to Redis', () => {
    const { usPerHandOff } = simulateHandOff({ ...settings, processes: 100, delayMs: 1 }, costs)
    expect(usPerHandOff).toBeCloseTo(2_000 + 90, -1)
  })
})

describe('renewals', () => {
  const settings = {
    holds: 10_000,
    processes: 100,
    masters: 1,
    periodMs: 10_000,
    phases: 'processes',
  } as const

  it('take one command per process where the names allow it', () => {
    const { commandsPerS, redisShare } = simulateRenewals({ ...settings, names: 'tags' }, costs)
    expect(commandsPerS).toBe(10)
    expect(redisShare).toBeCloseTo((100 * 10 + 10_000 * 2) / 10_000_000, 4)
  })

  it('take nearly one command each where names hash to any slot', () => {
    const { commandsPerS } = simulateRenewals({ ...settings, names: 'slots' }, costs)
    expect(commandsPerS).toBeGreaterThan(980)
  })

  it('that are all due at once queue up', () => {
    const { longestMs } = simulateRenewals({ ...settings, names: 'tags', phases: 'none' }, costs)
    expect(longestMs).toBeCloseTo(21, 0)
  })
})

describe('notifications in a Cluster', () => {
  it('load every node if they are classic', () => {
    const settings = { masters: 11, handOffsPerS: 11_000, forMs: 1_000 }
    const classic = simulateBus({ ...settings, notifications: 'classic' }, costs)
    const sharded = simulateBus({ ...settings, notifications: 'sharded' }, costs)
    expect(classic.redisShare).toBeCloseTo(0.16, 1)
    expect(sharded.redisShare).toBeCloseTo(0.06, 1)
    expect(classic.busMbPerS).toBeCloseTo(24, 0)
    expect(sharded.busMbPerS).toBe(0)
  })

  it('never exceed the rate that the bus allows, however many nodes there are', () => {
    expect(maxHandOffsPerS(100_000, 'classic', costs)).toBeLessThan(100_000)
    expect(maxHandOffsPerS(100, 'sharded', costs)).toBeCloseTo(100 * maxHandOffsPerS(1, 'sharded', costs), 3)
  })
})

describe('a fail-over', () => {
  const settings = {
    processes: 1_000,
    holds: 10_000,
    waiters: 0,
    watchdogTimeoutMs: 30_000,
    commandTimeoutMs: 5_000,
    outageMs: 5_000,
    requestsSingly: true,
  }

  it('ends when the last process has reconnected', () => {
    const { lastProvenMs, holdsLost, redials } = simulateFailOver(settings, costs)
    expect(lastProvenMs).toBeGreaterThan(900)
    expect(lastProvenMs).toBeLessThan(1_100)
    expect(holdsLost).toBe(0)
    expect(redials).toBe(0)
  })

  it('loses the holds whose leases expire before it ends', () => {
    const { holdsLost } = simulateFailOver({ ...settings, outageMs: 40_000 }, costs)
    expect(holdsLost).toBe(10_000)
  })

  it('does not end when the work takes longer than clients wait for a reply', () => {
    const { redials } = simulateFailOver({ ...settings, waiters: 1_000_000 }, costs)
    expect(redials).toBeGreaterThan(1_000)
  })
})
