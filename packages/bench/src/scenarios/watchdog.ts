import { setTimeout as sleep } from 'node:timers/promises'
import { countCommands } from '@holdfast/testkit'
import { median } from 'simple-statistics'
import { titleOf, type Contender } from '../contender.js'
import type { Figure } from '../figure.js'
import { renewsByItself } from '../holders/holders.js'
import type { Scenario } from '../scenario.js'
import { withCrews } from '../with-crews.js'

const name = 'watchdog'
/** Holdfast renews so many in one command. */
const renewedAtOnce = 500
const longestRunMs = 300_000

interface Case {
  readonly locks: number
  readonly leaseMs: number
  /** How many thirds of the lease are watched: enough for several renewals of whoever renews late. */
  readonly periods: number
  readonly who: 'everybody' | 'Holdfast'
}

const cases: readonly Case[] = [
  { locks: 1_000, leaseMs: 3_000, periods: 4, who: 'everybody' },
  { locks: 10_000, leaseMs: 3_000, periods: 4, who: 'everybody' },
  { locks: 100_000, leaseMs: 30_000, periods: 2, who: 'Holdfast' },
]
const trialCases: readonly Case[] = [{ locks: 50, leaseMs: 1_500, periods: 2, who: 'everybody' }]

/**
 * What it costs to keep locks that are held, per third of their lease, by those that renew them unasked.
 *
 * Each case is measured once: it covers every lock several times, and five rounds of it would take many minutes.
 */
export const watchdog: Scenario = {
  name,
  title: 'Keeping locks that are held, per third of their lease',
  compares: { what: 'clientCpuShare', lessIsBetter: true },
  async run({ contenders, isTrial }) {
    const figures: Figure[] = []
    for (const one of isTrial ? trialCases : cases) {
      for (const contender of contenders.filter((contender) => takesPart(contender, one))) {
        figures.push(await keep(contender, one))
      }
    }
    return figures
  },
}

const takesPart = (contender: Contender, { who }: Case): boolean =>
  renewsByItself(titleOf(contender)) && (who === 'everybody' || contender.library === who)

/** In a process and on a server that have nothing else to do. */
function keep(contender: Contender, { locks, leaseMs, periods }: Case): Promise<Figure> {
  return withCrews([contender], 1, async ([crew], { url }) => {
    const title = titleOf(contender)
    const periodMs = leaseMs / 3
    const measureMs = periods * periodMs
    const order = { title, url, count: locks, leaseMs, settleMs: Math.min(1_000, periodMs), measureMs }
    const [seen] = (await crew?.all('holdMany', () => order, longestRunMs)) ?? []
    const more =
      contender.library === 'Holdfast'
        ? {
            renewalsPerPeriod: await renewalsIn(url, Math.min(3, periods - 1), periodMs),
            targetRenewals: Math.ceil(locks / renewedAtOnce),
          }
        : {}
    return { scenario: name, of: title, at: { locks, leaseMs }, seen: { ...seen, ...more } }
  })
}

/**
 * Commands per period that renew: the script that is sent most. Another one says once per period who the client is. In a pass
 * of its own, since a server that shows its commands is slower; the median, since a period has no certain beginning.
 */
async function renewalsIn(url: string, periods: number, periodMs: number): Promise<number> {
  const most: number[] = []
  for (let period = 0; period < periods; period += 1) {
    const { counts } = await countCommands(url, () => sleep(periodMs))
    most.push(Math.max(0, ...[...counts].map(([command, n]) => (command.startsWith('eval') ? n : 0))))
  }
  return median(most)
}
