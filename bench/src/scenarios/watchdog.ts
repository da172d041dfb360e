import { setTimeout as sleep } from 'node:timers/promises'
import { countCommands } from '@holdfast/testkit'
import { median } from 'simple-statistics'
import { holdfast } from '../adapters/holdfast.js'
import { ableTo, type Contender } from '../contender.js'
import type { Figure, Scenario } from '../scenario.js'
import { onRedis } from '../stores.js'
import { withPool } from '../worker-pool.js'

/** How many locks Holdfast renews in one command. */
const renewedAtOnce = 500
const maxRunMs = 300_000

interface Case {
  readonly locks: number
  readonly leaseMs: number
  /** How many thirds of the lease are measured: enough for several renewals by late renewers. */
  readonly periods: number
  readonly isForHoldfastAlone?: true
}

const cases: readonly Case[] = [
  { locks: 1_000, leaseMs: 3_000, periods: 4 },
  { locks: 10_000, leaseMs: 3_000, periods: 4 },
  { locks: 100_000, leaseMs: 30_000, periods: 2, isForHoldfastAlone: true },
]
const trialCases: readonly Case[] = [{ locks: 50, leaseMs: 3_000, periods: 2 }]

/**
 * The cost of keeping held locks, per third of their lease, with libraries that renew automatically.
 *
 * Each case is measured once: it covers every lock several times, and five rounds would take many minutes.
 */
export const watchdog: Scenario = {
  name: 'watchdog',
  title: 'Renewing held locks, per third of their lease',
  compares: { what: 'clientCpuShare', lessIsBetter: true },
  floor: holdfast.library,
  async run({ contenders, isTrial, say }) {
    const able = ableTo('renew locks by themselves', contenders, ({ hold }) => hold !== undefined, say)
    const figures: Figure[] = []
    for (const each of isTrial ? trialCases : cases)
      for (const contender of able)
        if (contender === holdfast || !each.isForHoldfastAlone) figures.push(await keep(contender, each))
    return figures
  },
}

/** In a process and on a server without any other work. */
function keep(contender: Contender, { locks, leaseMs, periods }: Case): Promise<Figure> {
  return onRedis((servers) =>
    withPool(contender, servers, async (pool) => {
      const { url } = servers
      const periodMs = leaseMs / 3
      const measureMs = periods * periodMs
      const order = {
        title: contender.library,
        url,
        count: locks,
        leaseMs,
        settleMs: Math.min(1_000, periodMs),
        measureMs,
      }
      const seen = await pool.one('holdMany', order, maxRunMs)
      const more =
        contender === holdfast
          ? {
              renewalsPerPeriod: await renewalsIn(url, Math.min(3, periods - 1), periodMs),
              targetRenewals: Math.ceil(locks / renewedAtOnce),
            }
          : {}
      return { of: contender.library, at: { locks, leaseMs }, seen: { ...seen, ...more } }
    }),
  )
}

/**
 * Renewal commands per period: the script that is sent most. Another one registers the client once per period. Counted in a
 * separate pass, since a server in MONITOR mode is slower; the median, since a period has no definite start.
 */
async function renewalsIn(url: string, periods: number, periodMs: number): Promise<number> {
  const maxima: number[] = []
  for (let period = 0; period < periods; period += 1) {
    const { counts } = await countCommands(url, () => sleep(periodMs))
    maxima.push(Math.max(0, ...[...counts].map(([command, n]) => (command.startsWith('eval') ? n : 0))))
  }
  return median(maxima)
}
