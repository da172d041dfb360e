// Usage: node scripts/bundle.mjs
// Makes what packages publish of what the compiler has built: a file for each entry point, and files with what several of them share, as
// ECMAScript modules and as CommonJS, with rolled-up declarations.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import { format } from 'prettier'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { bundledPackages, folderOf, publishedPackages, root } from './lib/workspace.mjs'

/** The files of the command, of which two run in processes of their own, by the modules that they are made of. */
const programs = { main: 'main', 'guard-main': 'run/guard-main', 'other-process': 'verify/other-process' }

/** A file of its own, by package: what is exported beside it is left out by bundlers of programs that use only this. */
const apart = { core: { holdfast: 'holdfast' } }

/** The files that a library publishes, by the modules that they are made of, without their endings. */
function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const published = Object.values(exports).flatMap((entry) => entry.import?.default ?? [])
  const entries = published.map((path) => path.slice('./dist/esm/'.length, -'.js'.length))
  return Object.fromEntries(entries.map((entry) => [entry, entry]))
}

const ownPackages = [...bundledPackages, ...publishedPackages].map((name) => `@holdfast/${name}`)

/** The client in a process of its own that scenarios of the conformance suite kill and freeze. */
const worker = 'verification/conformance/worker/client.mjs'

const isBare = (id) => !/^[./]/.test(id)

/** What is there at run time: programs of Node.js, and the packages that this one brings along or asks for. */
function installedWith(folder) {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const names = Object.keys({ ...dependencies, ...peerDependencies })
  return (id) => isBuiltin(id) || names.some((name) => id === name || id.startsWith(`${name}/`))
}

/**
 * Development dependencies that the sources import become part of what is published, with their licences: loading a few small files, some
 * of them CommonJS, costs an importing process as much time as compiling all of core.
 */
const includeLibraries = (folder, included) => ({
  name: 'include-libraries',
  resolveId: (id) => (isBare(id) ? `\0${id}` : null),
  async load(id) {
    if (!id.startsWith('\0')) return null
    const { outputFiles, metafile } = await build({
      entryPoints: [id.slice(1)],
      absWorkingDir: folder,
      bundle: true,
      format: 'esm',
      platform: 'node',
      metafile: true,
      write: false,
      outdir: folder,
    })
    for (const input of Object.keys(metafile.inputs)) included.add(join(folder, input))
    return { code: outputFiles[0].text, moduleSideEffects: false }
  },
})

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

/** The licence of the library that a file belongs to, which copies of it have to come with. Our own stand in each package. */
function licenceOf(file) {
  const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+\//.exec(file) ?? []
  if (folder === undefined) return []
  const { name, version } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const licence = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  return [`${name} ${version}\n\n${readFileSync(folder + licence, 'utf8').trim()}\n`]
}

/** Without comments bundlers would not know which calls they may leave out with their results. */
const marked = (code) => code.replace(/\/\* @__PURE__ \*\/ (new )?/g, '$1PURE$$.')
const unmarked = (code) => code.replace(/(new )?PURE\$\./g, '/* @__PURE__ */ $1')

/** Names stay for stack traces, and lines are short enough for them. Comments are for users in the declarations. */
const bare = {
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  minifyWhitespace: true,
  lineLimit: 120,
}

const layout = {
  name: 'layout',
  async renderChunk(code, { fileName, exports }) {
    if (fileName.endsWith('.js')) return unmarked((await transform(marked(code), bare)).code)
    // What augments the global scope has to be a module.
    const module = exports.length > 0 ? code : `${code}\nexport {}\n`
    return format(module, {
      parser: 'typescript',
      printWidth: 160,
      useTabs: true,
      semi: false,
      singleQuote: true,
    })
  },
}

/** The entry points that lead to a module. */
function entriesAbove(id, getModuleInfo, seen = new Set()) {
  if (seen.has(id)) return []
  seen.add(id)
  const { isEntry, importers } = getModuleInfo(id)
  return isEntry ? [id] : importers.flatMap((each) => entriesAbove(each, getModuleInfo, seen))
}

/** What programs with a lock load, of packages with several entry points. */
const least = 'build/lock/index.js'

/**
 * What the least of several entry points shares with others is one file: a file more costs an import as much time as 20 kB of code. What
 * others add is left to files of their own, which bundlers leave out; and so is all where none is the least, since few programs have two.
 */
const sharedApart = (id, { getModuleInfo }) => {
  const above = entriesAbove(id, getModuleInfo)
  if (getModuleInfo(id).isEntry || above.length < 2) return undefined
  return above.some((entry) => entry.endsWith(least)) ? 'shared' : undefined
}

/** Files are called after what the modules in them lead to. */
const chunkName = ({ name, moduleIds }) =>
  `${name === 'shared' ? name : basename(moduleIds.at(-1) ?? name, '.js')}.js`

const plainNames = { entryFileNames: '[name].js', chunkFileNames: chunkName, minifyInternalExports: false }

/** Returns the files of other packages that became part of it. */
async function writeModules(folder, input) {
  const included = new Set()
  const bundle = await rollup({
    input,
    external: installedWith(folder),
    plugins: [commonJsApart, includeLibraries(folder, included), layout],
    treeshake: { moduleSideEffects: false },
    onLog(level, log, handle) {
      // What the compiler makes of `using` looks for a helper of that name.
      if (log.code !== 'THIS_IS_UNDEFINED') handle(level, log)
    },
  })
  const options = {
    ...plainNames,
    hoistTransitiveImports: false,
    manualChunks: sharedApart,
  }
  await bundle.write({ ...options, dir: `${folder}dist/esm`, format: 'es' })
  await bundle.write({ ...options, dir: `${folder}dist/cjs`, format: 'cjs', interop: 'auto' })
  // The packages are ECMAScript modules by their package.json.
  writeFileSync(`${folder}dist/cjs/package.json`, '{"type":"commonjs"}\n')
  return included
}

/**
 * The command with all that it needs, but for other stores and their drivers: nothing else has to be installed, and it starts in less time. As
 * CommonJS, which Node.js loads faster. Returns the files of other packages that became part of it.
 */
async function writeProgram(folder) {
  const { peerDependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const { metafile } = await build({
    entryPoints: Object.entries(programs).map(([out, from]) => ({ in: `${folder}build/${from}.js`, out })),
    absWorkingDir: folder,
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: Object.keys(peerDependencies).filter((name) => name !== '@holdfast/core'),
    // Its paths lead to sources.
    tsconfigRaw: {},
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    define: { 'import.meta.url': 'ownUrl' },
    banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href" },
  })
  mkdirSync(`${folder}dist/worker`, { recursive: true })
  cpSync(root + worker, `${folder}dist/worker/client.mjs`)
  return new Set([root + worker, ...Object.keys(metafile.inputs).map((input) => join(folder, input))])
}

/** Copies of libraries come with their licences, and those of core with what it has of others. */
function writeNotices(folder, included) {
  const notices = 'dist/third-party-notices.txt'
  const own = [...included].flatMap(licenceOf)
  const core = `${root}${folderOf('core')}/`
  const ofCore = [...included].some((file) => file.startsWith(core))
    ? [readFileSync(core + notices, 'utf8')]
    : []
  const texts = new Set([...own, ...ofCore])
  if (texts.size > 0) writeFileSync(folder + notices, [...texts].join('\n---\n\n'))
}

async function writeDeclarations(folder, input) {
  const isInstalled = installedWith(folder)
  const bundle = await rollup({
    input,
    external: (id) => isBare(id) && (isInstalled(id) || !ownPackages.includes(id)),
    plugins: [dts({ includeExternal: ownPackages }), layout],
  })
  const options = {
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}.d.ts`,
  }
  for (const kind of ['esm', 'cjs']) await bundle.write({ ...options, dir: `${folder}dist/${kind}` })
}

async function writeLibrary(name, folder) {
  const entries = entriesOf(folder)
  const inputOf = (modules, ending) =>
    Object.fromEntries(Object.entries(modules).map(([to, from]) => [to, `${folder}build/${from}${ending}`]))
  const included = await writeModules(folder, inputOf({ ...entries, ...apart[name] }, '.js'))
  await writeDeclarations(folder, inputOf(entries, '.d.ts'))
  return included
}

const changedAt = (path) => statSync(path).mtimeMs

/** Whether nothing that it was made of has changed since. Tests may be running what was made. */
function isCurrent(stamp, folder) {
  if (!existsSync(stamp) || !existsSync(`${folder}dist`)) return false
  const built = readdirSync(`${folder}build`, { recursive: true }).map((file) => `${folder}build/${file}`)
  const included = readFileSync(stamp, 'utf8').split('\n').filter(Boolean)
  const sources = [...built, ...included, `${folder}package.json`, fileURLToPath(import.meta.url)]
  return sources.every((source) => existsSync(source) && changedAt(source) <= changedAt(stamp))
}

const stamps = `${root}.cache/bundles/`
mkdirSync(stamps, { recursive: true })
for (const name of publishedPackages) {
  const folder = `${root}${folderOf(name)}/`
  const stamp = stamps + name
  if (isCurrent(stamp, folder)) continue
  const startedAt = new Date()
  rmSync(`${folder}dist`, { recursive: true, force: true })
  const included = await writeLibrary(name, folder)
  if (name === 'cli') for (const file of await writeProgram(folder)) included.add(file)
  writeNotices(folder, included)
  writeFileSync(stamp, [...included].join('\n'))
  utimesSync(stamp, startedAt, startedAt)
}
