import { setTimeout as sleep } from 'node:timers/promises'
import { countCommands } from '@holdfast/testkit'
import { titleOf, type Contender } from '../contender.js'
import { handOffByHand } from '../contenders/hand-off-floor.js'
import { holdfast } from '../contenders/holdfast.js'
import type { Figure } from '../figure.js'
import type { Rhythm } from '../rhythm.js'
import type { Scenario } from '../scenario.js'
import { withCrews } from '../with-crews.js'

const name = 'idle'
const lock = 'idle'
const waiters = 200
/** With Holdfast's default a period is 10 s; with this it is 1 s. Nobody else here has periods. */
const watchdogTimeoutMs = 3_000

/**
 * 200 tasks of one process wait for a lock that another process keeps: what it costs that nothing happens.
 *
 * Commands are counted apart from the load: a server that shows its commands is slower.
 */
export const idle: Scenario = {
  name,
  title: '200 tasks of one process wait for a lock that is not released',
  compares: { what: 'commandsPerSecond', lessIsBetter: true },
  async run({ contenders, isTrial }) {
    const figures: Figure[] = []
    for (const contender of contenders.filter(canWait)) {
      // Whole periods, and several of them, for whoever sends next to nothing.
      const measureMs = contender === holdfast ? 3_000 : 500
      figures.push(await waitIdly(contender, isTrial ? 100 : measureMs))
    }
    return figures
  },
}

const canWait = (contender: Contender): boolean =>
  contender.configuration !== 'floor' || contender === handOffByHand

function waitIdly(contender: Contender, measureMs: number): Promise<Figure> {
  // The second process is there from the beginning, so that its greetings are not counted.
  return withCrews([contender, contender], 1, async ([holding, waiting], { url }) => {
    const rhythm: Rhythm | null = contender === holdfast ? { url, watchdogTimeoutMs } : null
    await holding?.all('holdOne', () => ({ lock, rhythm }))
    // A holder that renews its lock sends commands, too. They are not the waiters'.
    await sleep(rhythm ? watchdogTimeoutMs / 3 : 0)
    const before = rhythm ? await sentIn(url, measureMs) : { commands: 0, scripts: 0 }
    const order = { lock, rhythm, waiters, settleMs: measureMs / 2, measureMs }
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
