import { hostname, userInfo } from 'node:os'
import { Option, type Command } from 'commander'
import type { Holdfast } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import { exitCodes, type ExitError } from '../exit-codes.js'
import { ask, hasSomeoneToAsk } from '../output/ask.js'
import { formatDuration } from '../output/duration.js'
import { escapeText } from '../output/escape.js'
import { describeOwner } from '../output/owner.js'
import { printJson, say } from '../output/terminal.js'
import { objectTypes, type Found } from './find-objects.js'
import { objectOption, readAll, type ObjectOptions } from './inspect.js'
import { usageError, withClient } from './with-client.js'

interface UnlockOptions extends ObjectOptions {
  readonly owner?: string
  readonly by: string
  readonly yes?: true
}

type Holders = Exclude<Found, { object: 'latch' }>
type Holder = Holders['info']['holders'][number]

/** Whom one may evict from what. */
interface Candidate {
  readonly object: Holders['object']
  readonly holder: Holder
}

export function addUnlock(program: Command): void {
  const command = program
    .command('unlock')
    .description('evict one holder; the next waiter gets the lock')
    .argument('<name>', 'of the lock, read/write lock or semaphore')
    .option(
      '--owner <owner>',
      'whom to evict, as inspect shows it: no other owner is evicted (default: ask, at a terminal)',
    )
    .addOption(objectOption(objectTypes.filter((type) => type !== 'latch')))
    .addOption(
      new Option('--by <who>', 'who does it: passed on to the evicted process').default(
        whoAmI(),
        'user@host',
      ),
    )
    .option('-y, --yes', 'do not ask; needs --owner')
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
  const { by, yes = false, json = false } = options
  const candidates = await findCandidates(holdfast, name, options)
  const chosen = await choose(name, candidates, options)
  if (!chosen || (!yes && !(await confirm(name, chosen.holder)))) return false
  const { owner } = chosen.holder
  const isEvicted = await evict(holdfast, name, chosen, by)
  if (json) printJson('eviction', { name, object: chosen.object, owner, by, isEvicted })
  say(
    isEvicted
      ? `evicted ${describeOwner(chosen.holder)}`
      : `${escapeText(owner)} had released it by then; no holder was evicted`,
  )
  return isEvicted
}

async function findCandidates(
  holdfast: Holdfast,
  name: string,
  options: UnlockOptions,
): Promise<Candidate[]> {
  const found = await readAll(holdfast, name, options)
  return found.flatMap((each) => {
    if (each.object === 'latch') return []
    const { object, info } = each
    return info.holders.map((holder: Holder) => ({ object, holder }))
  })
}

/** Whom to evict; `undefined` for nobody. */
async function choose(
  name: string,
  candidates: readonly Candidate[],
  { owner, yes }: UnlockOptions,
): Promise<Candidate | undefined> {
  if (owner !== undefined) {
    const chosen = candidates.find(({ holder }) => holder.owner === owner)
    if (!chosen)
      say(`${escapeText(owner)} does not hold ${escapeText(name)} (any more); no holder was evicted`)
    return chosen
  }
  if (candidates.length === 0) {
    say(`${escapeText(name)} is not held; no holder was evicted`)
    return undefined
  }
  // --yes is for programs, which must say whom.
  if (yes || !hasSomeoneToAsk()) throw whichOwner(name, candidates)
  return candidates.length === 1 ? candidates[0] : pick(name, candidates)
}

function whichOwner(name: string, candidates: readonly Candidate[]): ExitError {
  const list = candidates.map(
    ({ holder }) => `  --owner ${escapeText(holder.owner)}   ${describeOwner(holder)}`,
  )
  return usageError(`--owner is missing; ${escapeText(name)} is held by`, list)
}

async function pick(name: string, candidates: readonly Candidate[]): Promise<Candidate | undefined> {
  const digits = String(candidates.length).length
  const list = candidates.map(({ object, holder }, i) => {
    const since = holder.heldMs === null ? '' : `, held for ${formatDuration(holder.heldMs)}`
    return `${String(i + 1).padStart(digits + 2)}  ${object}: ${describeOwner(holder)}${since}`
  })
  const answer = await ask(
    `${escapeText(name)} is held by\n${list.join('\n')}\nWhich one? [1-${candidates.length}, Enter for none] `,
  )
  const chosen = /^\d+$/.test(answer) ? candidates[Number(answer) - 1] : undefined
  if (!chosen) say(answer === '' ? 'no holder was evicted' : 'there is no such number; no holder was evicted')
  return chosen
}

async function confirm(name: string, holder: Holder): Promise<boolean> {
  if (!hasSomeoneToAsk()) throw usageError('not a terminal: add --yes to evict without a question')
  const answer = await ask(
    `${escapeText(name)} is held by ${describeOwner(holder)}.\n` +
      'Its code may still run after the eviction, beside that of the next holder. Evict it? [y/N] ',
  )
  const isYes = /^y(es)?$/i.test(answer)
  if (!isYes) say('no holder was evicted')
  return isYes
}

function evict(
  holdfast: Holdfast,
  name: string,
  { object, holder }: Candidate,
  by: string,
): Promise<boolean> {
  const { owner } = holder
  if (object === 'semaphore') return holdfast.getSemaphore(name, { permits: 1 }).forceRelease(owner, { by })
  if (object === 'lock') return holdfast.getLock(name).forceUnlock({ owner, by })
  const { read, write } = holdfast.getReadWriteLock(name)
  const isWriter = 'kind' in holder && holder.kind === 'write-lock'
  return (isWriter ? write : read).forceUnlock({ owner, by })
}
