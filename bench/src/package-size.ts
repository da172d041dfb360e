import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))

/** How many packages an installation of these modules brings, and their unpacked size, without peer dependencies. */
export async function packageSize(
  modules: readonly string[],
): Promise<{ sizeKiB: number; packages: number }> {
  const packages = modules.map((module) => /^(@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module)
  const folders = new Set(await Promise.all(packages.map((name) => folderOf(name, here))))
  // Iterating over a set includes what is added during the iteration.
  for (const folder of folders)
    for (const name of await dependenciesIn(folder)) folders.add(await folderOf(name, folder))
  const sizes = await Promise.all([...folders].map(bytesOf))
  return { sizeKiB: sizes.reduce((sum, size) => sum + size, 0) / 1_024, packages: folders.size }
}

/** Where the package is that a module in `from` resolves by this name: in the nearest `node_modules`, links followed. */
async function folderOf(name: string, from: string): Promise<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    const link = join(folder, 'node_modules', name)
    if (existsSync(join(link, 'package.json'))) return realpath(link)
    if (folder === dirname(folder)) throw new Error(`${name} is not installed for ${from}`)
  }
}

async function dependenciesIn(folder: string): Promise<string[]> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof manifest !== 'object' || manifest === null) throw new Error(`${folder} has no manifest`)
  return Object.keys({ dependencies: {}, ...manifest }.dependencies)
}

/** A workspace package contains more than is published. */
const bytesOf = (folder: string): Promise<number> =>
  folder.includes(`${sep}node_modules${sep}`) ? bytesOfFiles(folder) : bytesWhenPacked(folder)

async function bytesOfFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const own = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !file.slice(folder.length).includes(`${sep}node_modules${sep}`))
  const sizes = await Promise.all(own.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function bytesWhenPacked(folder: string): Promise<number> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: folder })
  const size = Number(/"unpackedSize": (\d+)/.exec(stdout)?.[1])
  if (Number.isNaN(size)) throw new Error(`npm did not report the size of ${folder}`)
  return size
}
