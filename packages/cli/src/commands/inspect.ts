import { Option, type Command } from 'commander'
import type { Holdfast, ObjectType } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { describeObject } from '../output/describe-object.js'
import { columnsOfStdout, printJson, printLine } from '../output/terminal.js'
import { everyOption, repeat } from './repeat.js'
import { findObjects, objectTypes, readObject, type Found } from './find-objects.js'
import { withClient } from './with-client.js'

export interface ObjectOptions extends StoreOptions {
  readonly object?: ObjectType
  readonly json?: true
}

interface InspectOptions extends ObjectOptions {
  readonly every?: number
}

export const objectOption = (types: readonly ObjectType[] = objectTypes): Option =>
  new Option('--object <type>', 'what has that name (default: all that is in use)').choices(types)

export function addInspect(program: Command): void {
  const command = program
    .command('inspect')
    .description('show who holds an object, since when, and who waits')
    .argument('<name>', 'of the lock, read/write lock, semaphore or latch')
    .addOption(objectOption())
    .addOption(everyOption())
    .option('--json', 'JSON, a line for each object')
  addStoreOptions(command).action((name: string, options: InspectOptions) =>
    withClient(options, { label: 'holdfast inspect' }, (holdfast) =>
      repeat(options.every, async () => {
        const found = await readAll(holdfast, name, options)
        for (const each of found) {
          if (options.json) printJson('inspection', toFields(each))
          else showObject(each, each === found[0])
        }
      }),
    ),
  )
}

/** One object, or all of that name that are in use. */
export const readAll = async (
  holdfast: Holdfast,
  name: string,
  { object }: ObjectOptions,
): Promise<Found[]> =>
  object === undefined ? findObjects(holdfast, name) : [await readObject(holdfast, name, object)]

/** The fields for programs. Times of day are ISO 8601, durations milliseconds. */
const toFields = ({ object, info }: Found): object => ({ at: new Date(), object, ...info })

function showObject(found: Found, isFirst: boolean): void {
  if (!isFirst) printLine('')
  for (const line of describeObject(found, columnsOfStdout())) printLine(line)
}
