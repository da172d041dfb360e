import { hostname, userInfo } from 'node:os'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import type { Holdfast } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import { exitCodes, type ExitError } from '../exit-codes.js'
import { escapeText } from '../output/escape.js'
import { describeOwner } from '../output/owner.js'
import { printJson, say } from '../output/terminal.js'
import type { Found } from './find-objects.js'
import { objectOption, readAll, type ObjectOptions } from './inspect.js'
import { usageError, withClient } from './with-client.js'

interface UnlockOptions extends ObjectOptions {
  readonly owner?: string
  readonly by: string
  readonly yes?: true
}

type Holders = Exclude<Found, { object: 'latch' }>
type Holder = Holders['info']['holders'][number]

export function addUnlock(program: Command): void {
  const command = program
    .command('unlock')
    .description('evict one holder; the next waiter gets the lock')
    .argument('<name>', 'of the lock, read/write lock or semaphore')
    .option('--owner <owner>', 'whom to evict, as inspect shows it: nobody else is evicted')
    .addOption(objectOption())
    .option('--by <who>', 'who does it: passed on to the evicted process', whoAmI())
    .option('-y, --yes', 'do not ask')
    .option('--json', 'the outcome as JSON')
  addStoreOptions(command).action(async (name: string, options: UnlockOptions) => {
    const isEvicted = await withClient(options, { label: 'holdfast unlock' }, (holdfast) =>
      unlock(holdfast, name, options),
    )
    process.exitCode = isEvicted ? exitCodes.ok : exitCodes.no
  })
}

function whoAmI(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    // A user without a name, as in some containers.
    return hostname()
  }
}

async function unlock(holdfast: Holdfast, name: string, options: UnlockOptions): Promise<boolean> {
  const { owner, by, yes = false, json = false } = options
  const all = await readAll(holdfast, name, options)
  const found = all.filter((each): each is Holders => each.object !== 'latch')
  const holders = found.flatMap((each) => each.info.holders.map((holder: Holder) => ({ each, holder })))
  if (owner === undefined)
    throw whichOwner(
      name,
      holders.map(({ holder }) => holder),
    )
  const chosen = holders.find(({ holder }) => holder.owner === owner)
  if (!chosen) {
    say(`${escapeText(owner)} does not hold ${escapeText(name)} (any more); nobody was evicted`)
    return false
  }
  if (!yes && !(await confirm(name, chosen.holder))) return false
  const isEvicted = await evict(holdfast, name, chosen.each, chosen.holder, by)
  if (json) printJson('eviction', { name, object: chosen.each.object, owner, by, isEvicted })
  say(
    isEvicted
      ? `evicted ${describeOwner(chosen.holder)}`
      : `${escapeText(owner)} had released it by then; nobody was evicted`,
  )
  return isEvicted
}

function whichOwner(name: string, holders: readonly Holder[]): ExitError {
  if (holders.length === 0) return usageError(`--owner is missing, and nobody holds ${escapeText(name)}`)
  const list = holders.map((holder) => `  --owner ${escapeText(holder.owner)}   ${describeOwner(holder)}`)
  return usageError(`--owner is missing; ${escapeText(name)} is held by`, list)
}

async function confirm(name: string, holder: Holder): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError('nobody is there to ask: add --yes to evict without being asked')
  }
  return askAtTerminal(
    `${escapeText(name)} is held by ${describeOwner(holder)}.\n` +
      'Its code may still run after the eviction, beside that of the next holder. Evict it? [y/N] ',
  )
}

/** Ctrl-C, Ctrl-D and a terminal that goes away mean no. */
function askAtTerminal(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    asking.once('close', () => {
      process.stderr.write('\n')
      resolve(false)
    })
    asking.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      asking.removeAllListeners('close').close()
    })
  })
}

function evict(
  holdfast: Holdfast,
  name: string,
  { object }: Holders,
  holder: Holder,
  by: string,
): Promise<boolean> {
  const { owner } = holder
  if (object === 'semaphore') return holdfast.getSemaphore(name, { permits: 1 }).forceRelease(owner, { by })
  if (object === 'lock') return holdfast.getLock(name).forceUnlock({ owner, by })
  const { read, write } = holdfast.getReadWriteLock(name)
  const isWriter = 'kind' in holder && holder.kind === 'write-lock'
  return (isWriter ? write : read).forceUnlock({ owner, by })
}
