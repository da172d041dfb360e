import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '../scenario.js'
import { contentOf } from './content.js'
import { readReport } from './save.js'

const marked = /(<!-- figures: (\S+) -->\n)(?:(?!<!-- figures: )[^])*?(\n<!-- end -->)/g

/** Writes what the folder's figures show between the marks of a page. The rest of the page stays as it is. */
export async function remakePage(
  page: string,
  folder: string,
  scenarios: readonly Scenario[],
): Promise<void> {
  const run = await readReport(folder)
  // Takes an hour, so it has a run of its own.
  const soak = await readReport(join(folder, 'soak'))
  const report = { ...run, figures: [...run.figures, ...soak.figures] }
  const text = await readFile(page, 'utf8')
  const filled = text.replaceAll(
    marked,
    (_, begin: string, name: string, end: string) =>
      `${begin}\n${contentOf(name, report, scenarios)}\n${end}`,
  )
  await writeFile(page, filled)
}
