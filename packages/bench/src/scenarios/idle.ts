import { setTimeout as sleep } from 'node:timers/promises'
import { countCommands } from '@holdfast/testkit'
import { titleOf, type Contender } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { holdfast } from '../contenders/holdfast.js'
import type { Figure } from '../figure.js'
import type { WatchdogSettings } from '../watchdog-session.js'
import type { Scenario } from '../scenario.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'idle'
const lock = 'idle'
const waiters = 200
/** With Holdfast's default a period is 10 s; with this it is 1 s. No other contender here has periods. */
const watchdogTimeoutMs = 3_000

/**
 * 200 tasks of one process wait for a lock that another process keeps: the cost of waiting itself.
 *
 * Commands are counted separately from the load: a server in MONITOR mode is slower.
 */
export const idle: Scenario = {
  name,
  title: '200 tasks of one process wait for a lock that is not released',
  compares: { what: 'commandsPerSecond', lessIsBetter: true },
  async run({ contenders, isTrial }) {
    const figures: Figure[] = []
    for (const contender of contenders.filter(canWait)) {
      // Several whole periods, since Holdfast sends next to nothing.
      const measureMs = contender === holdfast ? 3_000 : 500
      figures.push(await waitIdly(contender, isTrial ? 100 : measureMs))
    }
    return figures
  },
}

const canWait = (contender: Contender): boolean =>
  contender.configuration !== 'floor' || contender === handOffByHand

function waitIdly(contender: Contender, measureMs: number): Promise<Figure> {
  // The second process connects at the start, so that its handshake is not counted.
  return withWorkerPools([contender, contender], 1, async ([holding, waiting], { url }) => {
    const watchdog: WatchdogSettings | null = contender === holdfast ? { url, watchdogTimeoutMs } : null
    await holding?.all('holdOne', () => ({ lock, watchdog }))
    // A holder that renews its lock sends commands too, which must not be counted as the waiters'.
    await sleep(watchdog ? watchdogTimeoutMs / 3 : 0)
    const before = watchdog ? await sentIn(url, measureMs) : { commands: 0, scripts: 0 }
    const order = { lock, watchdog, waiters, settleMs: measureMs / 2, measureMs }
    const [load] = (await waiting?.all('waitMany', () => order)) ?? []
    const after = await sentIn(url, measureMs)
    const perSecond = (kind: keyof typeof after): number => ((after[kind] - before[kind]) * 1_000) / measureMs
    return {
      scenario: name,
      of: titleOf(contender),
      at: { waiters },
      seen: { commandsPerSecond: perSecond('commands'), scriptsPerSecond: perSecond('scripts'), ...load },
    }
  })
}

/** How many commands clients send in that time, and how many of them are scripts. */
async function sentIn(url: string, ms: number): Promise<{ commands: number; scripts: number }> {
  const { counts } = await countCommands(url, () => sleep(ms))
  const sum = (which: (command: string) => boolean): number =>
    [...counts].reduce((total, [command, count]) => total + (which(command) ? count : 0), 0)
  return { commands: sum(() => true), scripts: sum((command) => command.startsWith('eval')) }
}
