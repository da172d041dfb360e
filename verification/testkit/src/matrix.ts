import { createHash } from 'node:crypto'

/**
 * Whether everything runs that only repeats under another driver, topology or mode of a store what runs in full elsewhere:
 * `HOLDFAST_MATRIX=full`. By default such tests run a sample.
 */
export const isFullMatrix = process.env['HOLDFAST_MATRIX'] === 'full'

/** One in this many. */
const sampleOf = 8

/** Defines a test, or one that is skipped. */
type DefineTest = (title: string, run: () => Promise<void>) => unknown

/**
 * The functions of a test runner, with a sample of the tests that are defined by them.
 *
 * @param name - what they run on; another name has another sample
 * @param own - titles of tests that are about that, and always run
 */
export function sampled<R extends { readonly it: DefineTest & { readonly skip: DefineTest } }>(
  runner: R,
  name: string,
  own = /(?!)/,
): R {
  const isIn = (title: string): boolean => isFullMatrix || own.test(title) || partOf(`${name} ${title}`) === 0
  const { it } = runner
  const sampledIt = (title: string, run: () => Promise<void>): unknown => isIn(title) && it(title, run)
  return { ...runner, it: Object.assign(sampledIt, { skip: it.skip }) }
}

const partOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() % sampleOf
