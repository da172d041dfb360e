import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../lib/workspace.mjs'

const version = '10.99.0'
let folder
let registry
let env

/** The tarball of a pnpm that leaves a mark when it is run. */
function pack(mark) {
  const source = mkdtempSync(join(folder, 'source-'))
  mkdirSync(join(source, 'package/bin'), { recursive: true })
  const bin = { pnpm: 'bin/pnpm.cjs' }
  writeFileSync(join(source, 'package/package.json'), JSON.stringify({ name: 'pnpm', version, bin }))
  const program = `#!/usr/bin/env node\nrequire('node:fs').writeFileSync(${JSON.stringify(join(folder, mark))}, '')\n`
  writeFileSync(join(source, 'package/bin/pnpm.cjs'), program, { mode: 0o755 })
  execFileSync('tar', ['-czf', 'pnpm.tgz', 'package'], { cwd: source })
  return readFileSync(join(source, 'pnpm.tgz'))
}

const digest = (bytes, encoding) => createHash('sha512').update(bytes).digest(encoding)

/** A registry whose pnpm is this tarball, with a matching integrity: npm has nothing to complain about. */
async function serve(tarball) {
  registry = createServer((request, response) => {
    if (request.url.endsWith('.tgz')) return response.end(tarball)
    const dist = {
      tarball: `http://${request.headers.host}/pnpm/-/pnpm-${version}.tgz`,
      integrity: `sha512-${digest(tarball, 'base64')}`,
    }
    const versions = { [version]: { name: 'pnpm', version, bin: { pnpm: 'bin/pnpm.cjs' }, dist } }
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ name: 'pnpm', 'dist-tags': { latest: version }, versions }))
  }).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${registry.address().port}/`,
    npm_config_cache: join(folder, 'npm-cache'),
  }
}

/** What `npm test` runs, in a checkout that pins a pnpm with this hash and has nothing but these scripts. */
function runScriptIn(checkout, hash) {
  cpSync(`${root}scripts`, join(checkout, 'scripts'), { recursive: true })
  writeFileSync(join(checkout, 'pnpm-lock.yaml'), '')
  const manifest = { type: 'module', packageManager: `pnpm@${version}+sha512.${hash}`, scripts: { test: '' } }
  writeFileSync(join(checkout, 'package.json'), JSON.stringify(manifest))
  mkdirSync(join(checkout, 'node_modules'))
  // Not from within a pnpm: that one would be used again.
  const outside = { ...env, npm_config_user_agent: '', npm_execpath: '' }
  return promisify(execFile)(process.execPath, ['scripts/with-pnpm.mjs', 'test'], {
    cwd: checkout,
    env: outside,
  })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinned-pnpm-'))
})
afterEach(() => {
  registry.closeAllConnections()
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

it('runs nothing of a pnpm whose hash is not the pinned one, though the registry vouches for it', async () => {
  await serve(pack('was-run'))
  const genuine = pack('other')
  const run = runScriptIn(mkdtempSync(join(folder, 'checkout-')), digest(genuine, 'hex'))
  await expect(run).rejects.toThrow('is not the one that package.json pins')
  expect(existsSync(join(folder, 'was-run'))).toBe(false)
})

it('runs the pnpm whose hash is the pinned one', async () => {
  const genuine = pack('was-run')
  await serve(genuine)
  await runScriptIn(mkdtempSync(join(folder, 'checkout-')), digest(genuine, 'hex'))
  expect(existsSync(join(folder, 'was-run'))).toBe(true)
})
