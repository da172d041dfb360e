import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder } from '@holdfast/testkit'
import type { Figure } from '../../src/scenario.js'

const run = promisify(execFile)
const program = join(__dirname, '../../dist/bench.js')
export const bench = (...args: readonly string[]) => run(process.execPath, [program, ...args])

/** What a trial prints, and its figures. */
export async function trialOf(options: readonly string[]) {
  const folder = await scratchFolder()
  try {
    const file = join(folder.path, 'figures.json')
    const { stdout } = await bench('--trial', '--rounds', '1', '--json', file, ...options)
    const { figures } = JSON.parse(await readFile(file, 'utf8')) as { figures: Record<string, Figure[]> }
    const of = (name: string): readonly Figure[] => figures[name] ?? []
    /** The value of each subject, in the order of the table. */
    const seen = (name: string, what: string) => of(name).map((figure) => [figure.of, figure.seen[what]])
    return { stdout, of, seen }
  } finally {
    await folder.remove()
  }
}
