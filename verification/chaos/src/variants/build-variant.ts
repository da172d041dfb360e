import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { variedPackages, type Edit, type Variant, type VariedPackage } from './variant.js'

const run = promisify(execFile)
const ownFolder = fileURLToPath(new URL('../..', import.meta.url))
/** The scripts of Redis, in core. */
const scriptsFile = 'redis/scripts/generated.js'
const folderOf = (name: VariedPackage): string => join(ownFolder, '../../packages', name)

/**
 * Copies the built library and the worker program into that folder, applies the edits, and returns the program's
 * path. Throws if the text of an edit is missing: the variant would then change nothing.
 */
export async function buildVariant(variant: Variant, folder: string): Promise<string> {
  const modules = join(folder, 'node_modules')
  const builtOf = (name: VariedPackage) => join(modules, '@holdfast', name, 'dist', 'esm')
  await rm(folder, { recursive: true, force: true })
  for (const name of variedPackages) {
    await cp(join(folderOf(name), 'build'), builtOf(name), { recursive: true })
    await cp(join(folderOf(name), 'package.json'), join(modules, '@holdfast', name, 'package.json'))
  }
  for (const edit of variant.edits) await applyEdit(builtOf(edit.of ?? 'core'), edit, variant.name)
  if (variant.edits.some(({ file }) => file === scriptsFile))
    await rehashScripts(join(builtOf('core'), scriptsFile))
  for (const from of [ownFolder, ...variedPackages.map(folderOf)])
    await linkModules(join(from, 'node_modules'), modules)
  await cp(join(ownFolder, 'dist'), join(folder, 'dist'), { recursive: true })
  await cp(join(ownFolder, 'package.json'), join(folder, 'package.json'))
  return join(folder, 'dist', 'worker.js')
}

async function applyEdit(folder: string, { file, find, replace }: Edit, name: string): Promise<void> {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  if (!text.includes(find)) throw new Error(`the variant "${name}" did not find its text in ${file}`)
  await writeFile(path, text.replaceAll(find, replace))
}

/** Redis identifies a script by the hash of its text. */
async function rehashScripts(file: string): Promise<void> {
  let text = await readFile(file, 'utf8')
  for (const [sha1, lua] of await scriptsIn(file))
    text = text.replace(sha1, createHash('sha1').update(lua).digest('hex'))
  await writeFile(file, text)
}

/** The hash and the text of each script. By another process: test runners replace the import of modules. */
async function scriptsIn(file: string): Promise<readonly (readonly [string, string])[]> {
  const program = `
    import { scripts } from ${JSON.stringify(pathToFileURL(file).href)}
    console.log(JSON.stringify(Object.values(scripts).map(({ sha1, lua }) => [sha1, lua])))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program])
  return JSON.parse(stdout) as readonly (readonly [string, string])[]
}

/** Links everything that the library and the program import, except the library itself. */
async function linkModules(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    if (entry.name.startsWith('@')) await linkModules(join(from, entry.name), join(to, entry.name))
    else await linkOnce(join(from, entry.name), join(to, entry.name))
  }
}

async function linkOnce(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path).catch((error: unknown) => {
    // Not `instanceof Error`: a test runner has its own Error class.
    const exists = typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST'
    if (!exists) throw error
  })
}
