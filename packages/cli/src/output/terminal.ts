import { once } from 'node:events'
import { styleText } from 'node:util'
import { escapeSentence, toJson } from './escape.js'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow'

/** The version of what `--json` prints. It grows when a field changes its meaning or goes away, not when one is added. */
const jsonVersion = 1

/** Data goes to stdout. */
export const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

/** Resolves when stdout takes more without storing it, for those who print a lot: a pager may read a page at a time. */
export async function stdoutTakesMore(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

/** One line of JSON on stdout; `type` says what it is about. */
export const printJson = (type: string, fields: object): void =>
  printLine(toJson({ version: jsonVersion, type, ...fields }))

/** Words for people go to stderr. */
export const say = (sentence: string): void =>
  void process.stderr.write(`holdfast: ${escapeSentence(sentence)}\n`)

/** Colours on stdout, unless it is not a terminal or NO_COLOR is set; FORCE_COLOR has them anyway. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout })

/** How many columns stdout has; without a terminal there is no limit. */
export const columnsOfStdout = (): number => (process.stdout.isTTY && process.stdout.columns) || Infinity
