import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { root } from '../lib/workspace.mjs'

const apart = new Set(['node_modules', 'dist', '.cache', '.git', 'coverage'])

/** The sources, tests, tools and settings of every package, and of the root, which counts as one. */
function* modulesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !apart.has(entry.name)) yield* modulesIn(path)
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name)) yield path
  }
}

/** The folder of the nearest package.json. */
function packageOf(file) {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** The relative imports of a module, of types too, that lead out of its package. */
function leavingImports(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true)
  return importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.') && packageOf(join(dirname(file), name)) !== packageOf(file))
}

it('a relative import stays in its package: of others a module imports what they export', () => {
  const modules = [...modulesIn(root)]
  expect(modules.length).toBeGreaterThan(1_000)
  const leaving = modules.flatMap((file) =>
    leavingImports(file).map((name) => `${relative(root, file)} imports ${name}`),
  )
  expect(leaving).toEqual([])
})
