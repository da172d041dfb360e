import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findInstalled, withDependencies, type Installed } from '../installed.js'

const run = promisify(execFile)

const here = fileURLToPath(new URL('.', import.meta.url))

/** How many packages an installation of these brings, and their unpacked size, without peer dependencies. */
export async function packageSize(names: readonly string[]): Promise<{ sizeKiB: number; packages: number }> {
  const all = new Map<string, Installed>()
  for (const name of names) {
    for (const one of await withDependencies(await findInstalled(name, here))) all.set(one.folder, one)
  }
  const sizes = await Promise.all([...all.values()].map(({ folder }) => bytesOf(folder)))
  return { sizeKiB: sizes.reduce((sum, size) => sum + size, 0) / 1_024, packages: all.size }
}

/** A workspace package contains more than is published. */
const bytesOf = (folder: string): Promise<number> =>
  folder.includes(`${sep}node_modules${sep}`) ? bytesOfFiles(folder) : bytesWhenPacked(folder)

async function bytesOfFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sizes = await Promise.all(
    entries
      .filter(({ name }) => name !== 'node_modules')
      .map(async (entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return bytesOfFiles(path)
        return entry.isFile() ? (await stat(path)).size : 0
      }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function bytesWhenPacked(folder: string): Promise<number> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: folder })
  const size = Number(/"unpackedSize": (\d+)/.exec(stdout)?.[1])
  if (Number.isNaN(size)) throw new Error(`npm did not report the size of ${folder}`)
  return size
}
