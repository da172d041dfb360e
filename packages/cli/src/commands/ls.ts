import type { Command } from 'commander'
import type { ClientInfo, Holdfast, ListedLock, LockListing, OwnerInfo } from '@holdfast/core'
import { clientOf } from '@holdfast/core/engine'
import { addStoreOptions, readCount } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { countOf, grouped } from '../output/count.js'
import { formatDuration } from '../output/duration.js'
import { escapeText } from '../output/escape.js'
import { describeOwner } from '../output/owner.js'
import { ProgressLine } from '../output/progress-line.js'
import { TableStream } from '../output/table-stream.js'
import type { Column } from '../output/table.js'
import { columnsOfStdout, printJson, printLine, say, stdoutTakesMore } from '../output/terminal.js'
import { clientsById } from './clients.js'
import { readObject } from './find-objects.js'
import { everyOption, repeat } from './repeat.js'
import { usageError, withClient } from './with-client.js'

interface LsOptions extends StoreOptions {
  readonly contended?: true
  readonly limit?: number
  readonly scan?: true
  readonly every?: number
  readonly json?: true
}

/** More keys than this are not scanned without being asked twice. */
const mostKeys = 1_000_000

export function addLs(program: Command): void {
  const command = program
    .command('ls')
    .description('list what is held or waited for')
    .argument('[pattern]', 'of names: * any text, ? one character', '*')
    .option('--contended', 'only what others wait for')
    .option('--limit <count>', 'how many to list at most', readCount)
    .option('--scan', `also scan a store with more than ${grouped(mostKeys)} keys`)
    .addOption(everyOption())
    .option('--json', 'JSON, a line for each')
  addStoreOptions(command).action((pattern: string, options: LsOptions) =>
    withClient(options, { label: 'holdfast ls' }, (holdfast) =>
      repeat(options.every, () => list(holdfast, pattern, options)),
    ),
  )
}

async function list(holdfast: Holdfast, pattern: string, options: LsOptions): Promise<void> {
  const { contended = false, limit = Infinity, scan = false, json = false } = options
  const maxKeys = scan ? Infinity : mostKeys
  const listing = holdfast.locks({ pattern, contended, limit, maxKeys })
  try {
    if (json) {
      for await (const lock of listing) {
        printJson('lock', lock)
        await stdoutTakesMore()
      }
      printJson('summary', { at: new Date(), ...listing.progress })
      return
    }
    await showAll(holdfast, listing)
  } catch (error) {
    const { total } = listing.progress
    if (total <= maxKeys) throw error
    throw usageError(
      `the store has about ${grouped(total)} keys, and listing locks looks at each of them: ` +
        'add --scan to do it all the same, at no more than 5 % of its time',
    )
  }
}

async function showAll(holdfast: Holdfast, listing: LockListing): Promise<void> {
  const clients: Map<string, ClientInfo | null> = await clientsById(holdfast)
  const progress = new ProgressLine(() => scannedText(listing))
  const print = (line: string): void => {
    progress.clear()
    printLine(line)
  }
  const table = new TableStream(columnsFor(clients), print, columnsOfStdout())
  try {
    for await (const lock of listing) {
      const { holder } = lock
      // It is not connected: it has died, or has closed and left the lock to be kept.
      if (holder !== null && !clients.has(clientOf(holder)))
        clients.set(clientOf(holder), await clientOfHolder(holdfast, lock))
      table.add(lock)
      await stdoutTakesMore()
    }
  } finally {
    progress.end()
    table.flush()
  }
  const { found, foreign } = listing.progress
  say(`${found} found; ${scannedText(listing)}`)
  if (foreign > 0) say(`${foreign} under the prefix of locks ${foreign === 1 ? 'is' : 'are'} none`)
}

function scannedText({ progress: { scanned, total, isComplete } }: LockListing): string {
  const all = Math.max(scanned, total)
  return `scanned ${grouped(isComplete ? all : scanned)} of ${countOf(all, 'key')}`
}

/** Where it runs or ran, if its client is still registered. */
async function clientOfHolder(
  holdfast: Holdfast,
  { name, object, holder }: ListedLock,
): Promise<ClientInfo | null> {
  const found = await readObject(holdfast, name, object)
  if (found.object === 'latch') return null
  const holders: readonly OwnerInfo[] = found.info.holders
  return holders.find(({ owner }) => owner === holder)?.client ?? null
}

/** @param clients - by id, to say where an owner runs */
function columnsFor(clients: ReadonlyMap<string, ClientInfo | null>): Column<ListedLock>[] {
  const holderOf = ({ holder, holderCount }: ListedLock): string => {
    if (holder === null) return '–'
    const client = clients.get(clientOf(holder)) ?? null
    const others = holderCount > 1 ? ` and ${holderCount - 1} more` : ''
    return describeOwner({ owner: holder, client }) + others
  }
  return [
    { title: 'NAME', cell: ({ name }) => escapeText(name), isFlexible: true },
    { title: 'OBJECT', cell: ({ object }) => object },
    {
      title: 'LEFT',
      cell: ({ holder, remainingMs }) => (holder === null ? '–' : formatDuration(remainingMs)),
      isRight: true,
    },
    { title: 'WAITING', cell: ({ waiterCount }) => String(waiterCount), isRight: true },
    { title: 'HOLDER', cell: holderOf },
  ]
}
