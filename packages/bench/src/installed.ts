import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** An installed package. */
export interface Installed {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** By name, without peer dependencies. */
  readonly dependencies: readonly string[]
}

/** The package that a module in this folder resolves by this name, from the nearest `node_modules`. */
export async function findInstalled(name: string, from: string): Promise<Installed> {
  for (let folder = from; ; folder = dirname(folder)) {
    const link = join(folder, 'node_modules', name)
    if (existsSync(join(link, 'package.json'))) return readPackage(link)
    if (folder === dirname(folder)) throw new Error(`${name} is not installed for ${from}`)
  }
}

/** The package and all its dependencies, each once. */
export async function withDependencies(root: Installed): Promise<Installed[]> {
  const all = new Map([[root.folder, root]])
  // Iterating over a map includes the entries added during the iteration.
  for (const { folder, dependencies } of all.values()) {
    for (const name of dependencies) {
      const found = await findInstalled(name, folder)
      all.set(found.folder, found)
    }
  }
  return [...all.values()]
}

/** The package in this folder, links followed. */
export async function readPackage(link: string): Promise<Installed> {
  const folder = await realpath(link)
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof manifest !== 'object' || manifest === null) throw new Error(`${folder} has no manifest`)
  const { name, version, dependencies } = { name: '', version: '', dependencies: {}, ...manifest }
  return { name, version, folder, dependencies: Object.keys(dependencies) }
}
