// Usage: node scripts/check-packages.mjs
// Packs every published package as the registry would get it, and checks the tarballs. rehearse-release.mjs installs them.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { run, step, tarballs } from './lib/consumer.mjs'
import { pinnedPnpm } from './lib/pinned-pnpm.mjs'
import { tarballProblems } from './lib/tarball.mjs'
import { folderOf, publishedPackages, root } from './lib/workspace.mjs'

const bin = `${root}node_modules/.bin/`
/** The text of every file of a tarball, by its path in the package. */
function readTarball(name) {
  mkdirSync(`${tarballs}${name}`, { recursive: true })
  run(['tar', '-xzf', `${tarballs}${name}.tgz`, '-C', `${tarballs}${name}`])
  const folder = `${tarballs}${name}/package/`
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map((file) => relative(folder, join(file.parentPath, file.name)))
  return new Map(paths.map((path) => [path, readFileSync(`${folder}${path}`, 'utf8')]))
}

async function checkTarball(name) {
  const tarball = `${tarballs}${name}.tgz`
  const folder = `${root}${folderOf(name)}/`
  await step(`pack ${name}`, () => {
    run([...pinnedPnpm(), 'pack', '--out', tarball], folder)
    const problems = tarballProblems(readTarball(name))
    if (problems.length > 0) throw new Error(problems.join('\n'))
  })
  await step(`publint ${name}`, () => run([`${bin}publint`, 'run', tarball, '--strict']))
  await step(`attw ${name}`, () => run([`${bin}attw`, tarball, '--profile', 'strict', '--format', 'ascii']))
}

/** What an installation of core adds, in bytes. The sizes of bundles are in budgets.mjs. */
const mostInstalled = 1_500_000

rmSync(tarballs, { recursive: true, force: true })
mkdirSync(tarballs, { recursive: true })
for (const name of publishedPackages) await checkTarball(name)
await step('core fits its budget', () => {
  const installed = [...readTarball('core').values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  console.log({ installed })
  if (installed > mostInstalled) throw new Error(`larger than ${mostInstalled} bytes`)
})
