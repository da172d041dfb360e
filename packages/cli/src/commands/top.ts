import type { Command } from 'commander'
import type { ClientReport, Holdfast } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { Screen } from '../output/screen.js'
import { paint, printJson, say } from '../output/terminal.js'
import { overviewLines, overviewOf } from '../output/overview.js'
import { stepsIfReachable } from './outages.js'
import { countOption, intervalOption, repeat, type RepeatOptions } from './repeat.js'
import { withClient } from './with-client.js'

interface TopOptions extends StoreOptions, RepeatOptions {
  readonly json?: true
}

/** How long clients may take to report: a frozen one must not hold up the page. */
const withinMs = 450

export function addTop(program: Command): void {
  const command = program
    .command('top')
    .description(
      'show what connected clients hold and wait for; q ends it, arrows and page keys scroll; JSON lines when piped',
    )
    .addOption(intervalOption())
    .addOption(countOption())
    .option('--json', 'JSON lines at a terminal too')
  addStoreOptions(command).action((options: TopOptions) =>
    withClient(options, { label: 'holdfast top' }, (holdfast) =>
      process.stdout.isTTY && !options.json ? draw(holdfast, options) : print(holdfast, options),
    ),
  )
}

/** All clients but this one. */
async function ask(holdfast: Holdfast): Promise<{ connected: number; reports: ClientReport[] }> {
  const others = (await holdfast.clients())
    .map(({ clientId }) => clientId)
    .filter((id) => id !== holdfast.clientId)
  const reports = await holdfast.clientReports({ withinMs, clientIds: others })
  return { connected: others.length, reports }
}

async function draw(holdfast: Holdfast, options: TopOptions): Promise<void> {
  using screen = new Screen(process.stdout)
  let lines: string[] = []
  const ifReachable = stepsIfReachable()
  await repeat(options, async () => {
    const trouble = await ifReachable(async () => {
      const { connected, reports } = await ask(holdfast)
      lines = overviewLines(overviewOf(connected, reports), screen.columns, screen.rows)
    })
    screen.draw(trouble === null ? lines : [paint('red', trouble), ...lines])
  })
}

async function print(holdfast: Holdfast, options: TopOptions): Promise<void> {
  const ifReachable = stepsIfReachable()
  await repeat(options, async () => {
    const trouble = await ifReachable(async () => {
      const { connected, reports } = await ask(holdfast)
      printJson('overview', { at: new Date(), ...overviewOf(connected, reports) })
    })
    if (trouble !== null) say(trouble)
  })
}
