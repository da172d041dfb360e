import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Scenario } from '../scenario.js'
import { drawPlots } from './plots.js'
import type { Report } from './report.js'
import { captionOf, tableOf } from './table.js'

const figuresFile = 'figures.json'

/** Writes the figures, for comparison with other runs, and their tables and plots. */
export async function saveReport(
  folder: string,
  report: Report,
  scenarios: readonly Scenario[],
): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, figuresFile), `${JSON.stringify(report, null, 2)}\n`)
  await showReport(folder, report, scenarios)
}

/** Regenerates tables and plots from the figures in the folder. */
export async function remakeReport(folder: string, scenarios: readonly Scenario[]): Promise<void> {
  await showReport(folder, await readReport(folder), scenarios)
}

/** Reads the figures in the folder. */
export async function readReport(folder: string): Promise<Report> {
  const report: unknown = JSON.parse(await readFile(join(folder, figuresFile), 'utf8'))
  if (!isReport(report))
    throw new Error(`${join(folder, figuresFile)} was not written by \`pnpm bench --out\``)
  return report
}

async function showReport(
  folder: string,
  { figures }: Report,
  scenarios: readonly Scenario[],
): Promise<void> {
  const sections = scenarios.flatMap((scenario) => {
    const own = figures.filter((figure) => figure.scenario === scenario.name)
    if (own.length === 0) return []
    return `## ${scenario.title}\n\n${captionOf(scenario)}\n\n${tableOf(scenario, own)}\n`
  })
  await writeFile(join(folder, 'tables.md'), sections.join('\n'))
  for (const { file, svg } of drawPlots(scenarios, figures)) await writeFile(join(folder, file), svg)
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'figures' in value && Array.isArray(value.figures)
}
