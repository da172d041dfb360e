// Bundles the command with all that it needs into test/dist, so that it starts in two thirds of the time: tests start it hundreds of times.
import { mkdirSync, mkdtempSync, renameSync, rmdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../dist/esm/', import.meta.url))
// As far from package.json as what is published.
const target = fileURLToPath(new URL('../dist/', import.meta.url))
const { build } = createRequire(new URL('../../../dashboard/package.json', import.meta.url))('esbuild')

mkdirSync(target, { recursive: true })
const fresh = mkdtempSync(`${target}fresh-`)
await build({
  entryPoints: [`${dist}main.js`, `${dist}guard-main.js`],
  entryNames: '[name]',
  outdir: fresh,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  // Its paths lead to sources, and users have what is published.
  tsconfigRaw: {},
  external: [
    '@holdfast/dashboard',
    '@holdfast/etcd',
    '@holdfast/memcached',
    '@holdfast/mysql',
    '@holdfast/postgres',
    '@holdfast/zookeeper',
    'mysql2',
    'pg',
  ],
  // Packages that are CommonJS require what Node.js has.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
  },
})
// Other test files do the same at the same time, and their commands are starting.
for (const file of ['main.js', 'guard-main.js']) renameSync(`${fresh}/${file}`, target + file)
rmdirSync(fresh)
