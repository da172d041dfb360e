// Usage: node scripts/publish.mjs <folder> [arguments of npm publish…]
// Publishes exactly the tarballs in the folder, in the order of their dependencies. What the registry has already, byte for byte,
// is left out, so it can be run again after it stopped halfway. It needs npm 11.5.1 or later, which can log in by the workflow's
// identity, and nothing that is installed: it runs where a package can be published.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { publishedPackages } from './lib/workspace.mjs'

const [folder, ...args] = process.argv.slice(2)
/** Whatever the settings of whoever runs this: what npm says of an error is read here. */
const npm = (...command) =>
  execFileSync('npm', [...command, '--loglevel', 'error'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** The integrity of a published version; `undefined` if the registry does not have it. */
function publishedIntegrity(id) {
  try {
    return npm('view', id, 'dist.integrity').trim() || undefined
  } catch (error) {
    // Anything else, such as a registry that does not reply, must not be taken for a version that is not there.
    if (/\bE404\b/.test(error.stderr)) return undefined
    throw error
  }
}

const manifestOf = (tarball) =>
  JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }))

// All are read before the first is published: half a release is worse than none.
const tarballs = publishedPackages.map((name) => {
  const file = join(resolve(folder), `${name}.tgz`)
  const { name: published, version } = manifestOf(file)
  if (published !== `@holdfast/${name}`) throw new Error(`${file} contains ${published}`)
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  return { file, id: `${published}@${version}`, integrity }
})

for (const { file, id, integrity } of tarballs) {
  const there = publishedIntegrity(id)
  if (there !== undefined && there !== integrity)
    throw new Error(
      `The registry has another ${id}: ${there}, not ${integrity}. A version is never published twice.`,
    )
  if (there === undefined) npm('publish', file, '--access', 'public', '--ignore-scripts', ...args)
  console.log(`${there === undefined ? 'published' : 'was there '}  ${id}  ${integrity}`)
}
