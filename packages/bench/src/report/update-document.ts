import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '../scenario.js'
import { contentOf } from './content.js'
import { readReport } from './save.js'

const marked = /(<!-- figures: (\S+) -->\n)(?:(?!<!-- figures: )[^])*?(\n<!-- end -->)/g

/** Scenarios that run by themselves: one takes an hour, the other may run on a busy machine. */
const separateRuns = ['soak', 'instructions']

/** Fills the marked sections of a Markdown document from the folder's figures. The rest stays as it is. */
export async function updateDocument(
  file: string,
  folder: string,
  scenarios: readonly Scenario[],
): Promise<void> {
  const run = await readReport(folder)
  const separate = await Promise.all(separateRuns.map((name) => readReport(join(folder, name))))
  const report = { ...run, figures: [run, ...separate].flatMap(({ figures }) => figures) }
  const text = await readFile(file, 'utf8')
  const filled = text.replaceAll(
    marked,
    (_, begin: string, name: string, end: string) =>
      `${begin}\n${contentOf(name, report, scenarios)}\n${end}`,
  )
  await writeFile(file, filled)
}
