import type { Command } from 'commander'
import type { Holdfast } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import { describeObject } from '../output/describe-object.js'
import { toJson } from '../output/escape.js'
import { Screen } from '../output/screen.js'
import { paint, printJson, say } from '../output/terminal.js'
import type { Found } from './find-objects.js'
import { objectOption, readAll, toFields, type ObjectOptions } from './inspect.js'
import { countOption, intervalOption, repeat, type RepeatOptions } from './repeat.js'
import { stepsIfReachable } from './outages.js'
import { withClient } from './with-client.js'

type WatchOptions = ObjectOptions & RepeatOptions

export function addWatch(program: Command): void {
  const command = program
    .command('watch')
    .description(
      'show an object as it changes; q ends it, arrows and page keys scroll; JSON lines when piped',
    )
    .argument('<name>', 'of the lock, read/write lock, semaphore or latch')
    .addOption(objectOption())
    .addOption(intervalOption())
    .addOption(countOption())
    .option('--json', 'JSON lines at a terminal too')
  addStoreOptions(command).action((name: string, options: WatchOptions) =>
    withClient(options, { label: 'holdfast watch' }, (holdfast) =>
      process.stdout.isTTY && !options.json ? draw(holdfast, name, options) : print(holdfast, name, options),
    ),
  )
}

async function draw(holdfast: Holdfast, name: string, options: WatchOptions): Promise<void> {
  using screen = new Screen(process.stdout)
  let shown: readonly Found[] = []
  const ifReachable = stepsIfReachable()
  await repeat(options, async () => {
    const trouble = await ifReachable(async () => {
      shown = await readAll(holdfast, name, options)
    })
    const lines = shown.flatMap((found) => [...describeObject(found, screen.columns), ''])
    screen.draw(trouble === null ? lines : [paint('red', trouble), ...lines])
  })
}

/** A line for each change of who holds and who waits; that leases and queue entries grow shorter is none. */
async function print(holdfast: Holdfast, name: string, options: WatchOptions): Promise<void> {
  let last = ''
  const ifReachable = stepsIfReachable()
  await repeat(options, async () => {
    const trouble = await ifReachable(async () => {
      const found = await readAll(holdfast, name, options)
      const now = toJson(found.map(stateOf))
      if (now === last) return
      last = now
      for (const each of found) printJson('change', { at: new Date(), ...toFields(each) })
    })
    if (trouble !== null) say(trouble)
  })
}

function stateOf({ object, info }: Found): unknown {
  if (object === 'latch') return [object, info.left, info.generation, info.waiterCount]
  return [
    object,
    info.holders.map(({ owner }) => owner),
    info.waiters.map(({ owner }) => owner),
    info.waiterCount,
  ]
}
