import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from '../figure.js'

/** Writes the figures, for plots and for whoever wants to compare them with another run. */
export async function saveReport(folder: string, figures: readonly Figure[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
}
