// Usage: node scripts/bundle.mjs
// Makes what packages publish of what the compiler has built: a file for each entry point, and files with what several of them share, as
// ECMAScript modules and as CommonJS, with rolled-up declarations. Nothing is minified, so that stack traces name functions as the source does.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { folderOf, publishedPackages, root } from './lib/workspace.mjs'

/** The files of the command, of which two run in processes of their own, by the modules that they are made of. */
const programs = { main: 'main', 'guard-main': 'run/guard-main', 'other-process': 'verify/other-process' }

/** The files that a package publishes, by the modules that they are made of, without their endings. */
function entriesOf(name, folder) {
  if (name === 'cli') return programs
  const { exports } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const published = Object.values(exports).flatMap((entry) => entry.import?.default ?? [])
  const entries = published.map((path) => path.slice('./dist/esm/'.length, -'.js'.length))
  return Object.fromEntries(entries.map((entry) => [entry, entry]))
}

const isExternal = (id) => !/^[./]/.test(id)

const commonJs = 'commonjs:'

/** A module that is CommonJS in both builds stays a file of its own, at the top. */
const commonJsApart = {
  name: 'commonjs-apart',
  resolveId(id, from) {
    if (!id.endsWith('.cjs')) return null
    return { id: commonJs + basename(id), external: true, meta: { file: join(dirname(from), id) } }
  },
  renderChunk(code, { fileName }) {
    const top = posix.relative(posix.dirname(fileName), '.')
    return code.replaceAll(commonJs, top === '' ? './' : `${top}/`)
  },
  generateBundle() {
    for (const id of [...this.getModuleIds()].filter((each) => each.startsWith(commonJs))) {
      const source = readFileSync(this.getModuleInfo(id).meta.file)
      this.emitFile({ type: 'asset', fileName: id.slice(commonJs.length), source })
    }
  },
}

/** What they say for users is in the declarations. */
const withoutComments = {
  name: 'without-comments',
  renderChunk: (code) => transform(code, { target: 'es2022', charset: 'utf8', legalComments: 'none' }),
}

const plainNames = { entryFileNames: '[name].js', chunkFileNames: '[name].js', minifyInternalExports: false }

async function writeModules(name, folder, inputOf) {
  const bundle = await rollup({
    input: inputOf('.js'),
    external: isExternal,
    plugins: [commonJsApart, withoutComments],
    treeshake: { moduleSideEffects: name === 'cli' },
    onLog(level, log, handle) {
      // What the compiler makes of `using` looks for a helper of that name.
      if (log.code !== 'THIS_IS_UNDEFINED') handle(level, log)
    },
  })
  const options = { ...plainNames, hoistTransitiveImports: false }
  await bundle.write({ ...options, dir: `${folder}dist/esm`, format: 'es' })
  if (name === 'cli') return
  await bundle.write({ ...options, dir: `${folder}dist/cjs`, format: 'cjs', interop: 'auto' })
  // The packages are ECMAScript modules by their package.json.
  writeFileSync(`${folder}dist/cjs/package.json`, '{"type":"commonjs"}\n')
}

async function writeDeclarations(folder, inputOf) {
  const bundle = await rollup({ input: inputOf('.d.ts'), external: isExternal, plugins: [dts()] })
  const options = {
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}.d.ts`,
  }
  for (const kind of ['esm', 'cjs']) await bundle.write({ ...options, dir: `${folder}dist/${kind}` })
}

const changedAt = (path) => statSync(path).mtimeMs

/** Whether the compiler, the manifest or this script has written anything since. Tests may be running what was made. */
function isCurrent(stamp, folder) {
  if (!existsSync(stamp) || !existsSync(`${folder}dist`)) return false
  const built = readdirSync(`${folder}build`, { recursive: true }).map((file) => `${folder}build/${file}`)
  const sources = [...built, `${folder}package.json`, fileURLToPath(import.meta.url)]
  return sources.every((source) => changedAt(source) <= changedAt(stamp))
}

const stamps = `${root}.cache/bundles/`
mkdirSync(stamps, { recursive: true })
for (const name of publishedPackages) {
  const folder = `${root}${folderOf(name)}/`
  const stamp = stamps + name
  if (isCurrent(stamp, folder)) continue
  const startedAt = new Date()
  const entries = Object.entries(entriesOf(name, folder))
  const inputOf = (ending) =>
    Object.fromEntries(entries.map(([to, from]) => [to, `${folder}build/${from}${ending}`]))
  rmSync(`${folder}dist`, { recursive: true, force: true })
  await writeModules(name, folder, inputOf)
  if (name !== 'cli') await writeDeclarations(folder, inputOf)
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
}
