import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '../scenario.js'
import { contentOf } from './content.js'
import { readReport } from './save.js'

const marked = /(<!-- figures: (\S+) -->\n)(?:(?!<!-- figures: )[^])*?(\n<!-- end -->)/g

/** Fills the marked sections of a Markdown document from the folder's figures. The rest stays as it is. */
export async function updateDocument(
  file: string,
  folder: string,
  scenarios: readonly Scenario[],
): Promise<void> {
  const run = await readReport(folder)
  // The soak takes an hour, so it is a separate run.
  const soak = await readReport(join(folder, 'soak'))
  const report = { ...run, figures: [...run.figures, ...soak.figures] }
  const text = await readFile(file, 'utf8')
  const filled = text.replaceAll(
    marked,
    (_, begin: string, name: string, end: string) =>
      `${begin}\n${contentOf(name, report, scenarios)}\n${end}`,
  )
  await writeFile(file, filled)
}
