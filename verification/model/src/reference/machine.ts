import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as steps from '@holdfast/stores/documents/steps'

/** The pure steps of the memory engine. */
export type Machine = typeof steps

export const realMachine: Machine = steps

/** The sources of the steps, by the name of the module. */
export async function readSources(): Promise<ReadonlyMap<string, string>> {
  const folder = dirname(require.resolve('@holdfast/stores/documents/steps'))
  const files = (await readdir(folder)).filter((file) => /^[\w-]+\.ts$/.test(file))
  const read = async (file: string) =>
    [file.slice(0, -3), await readFile(join(folder, file), 'utf8')] as const
  return new Map(await Promise.all(files.map(read)))
}

/** The steps that these sources make. */
export async function loadMachine(sources: ReadonlyMap<string, string>): Promise<Machine> {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-machine-'))
  try {
    for (const [name, source] of sources) await writeFile(join(copy, `${name}.ts`), source)
    return jest.requireActual<Machine>(join(copy, 'index.ts'))
  } finally {
    await rm(copy, { recursive: true })
  }
}
