import { setTimeout as sleep } from 'node:timers/promises'
import { countCommands } from '@holdfast/testkit'
import { holdfast, quickHoldfast, quickWatchdogMs } from '../adapters/holdfast.js'
import { ableTo, titleOf, type Contender } from '../contender.js'
import type { Figure, Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import { withPools } from '../worker-pool.js'

const lock = 'idle'
const waiters = 200

/**
 * 200 tasks of one process wait for a lock that another process keeps: the cost of waiting itself.
 *
 * Commands are counted separately from the load: a server in MONITOR mode is slower.
 */
export const idle: Scenario = {
  name: 'idle',
  title: '200 tasks of one process wait for a lock that is not released',
  compares: { what: 'commandsPerSecond', lessIsBetter: true },
  async run({ contenders, isTrial, say }) {
    const figures: Figure[] = []
    for (const each of ableTo('wait', contenders, ({ waits }) => waits !== 'never', { titleOf, say })) {
      // With Holdfast's default a period is 10 s. No other contender here has periods.
      const contender = each === holdfast ? quickHoldfast : each
      // Several whole periods, since Holdfast sends next to nothing.
      const measureMs = each === holdfast ? quickWatchdogMs : 500
      const seen = await waitIdly(contender, isTrial ? Math.min(measureMs, 1_000) : measureMs)
      figures.push({ of: titleOf(each), at: { waiters }, seen })
    }
    return figures
  },
}

function waitIdly(contender: Contender, measureMs: number): Promise<Figure['seen']> {
  // The second process connects at the start, so that its handshake is not counted.
  return onRedis((servers) =>
    withPools([contender, contender], servers, 1, async ([holding, waiting]) => {
      const { url } = servers.redis
      const isHoldfast = contender === quickHoldfast
      await holding?.one('holdOne', { lock })
      // A holder that renews its lock sends commands too, which must not be counted as the waiters'.
      if (isHoldfast) await sleep(quickWatchdogMs / 3)
      const before = isHoldfast ? await sentIn(url, measureMs) : { commands: 0, scripts: 0 }
      const load = await waiting?.one('waitMany', { lock, waiters, settleMs: measureMs / 2, measureMs })
      const after = await sentIn(url, measureMs)
      const perSecond = (kind: keyof typeof after): number =>
        ((after[kind] - before[kind]) * 1_000) / measureMs
      return { commandsPerSecond: perSecond('commands'), scriptsPerSecond: perSecond('scripts'), ...load }
    }),
  )
}

/** How many commands clients send in that time, and how many of them are scripts. */
async function sentIn(url: string, ms: number): Promise<{ commands: number; scripts: number }> {
  const { counts } = await countCommands(url, () => sleep(ms))
  const sum = (which: (command: string) => boolean): number =>
    [...counts].reduce((total, [command, count]) => total + (which(command) ? count : 0), 0)
  return { commands: sum(() => true), scripts: sum((command) => command.startsWith('eval')) }
}
